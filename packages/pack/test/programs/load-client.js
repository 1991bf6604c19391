import { readFile } from 'node:fs/promises'

/* Loads every entry of the client, and prints their names. */
const manifest = new URL('./node_modules/@stowage/client/package.json', import.meta.url)
const entries = Object.keys(JSON.parse(await readFile(manifest, 'utf8')).exports)
for (const entry of entries) await import(`@stowage/client${entry.slice(1)}`)
process.stdout.write(JSON.stringify(entries))
