import { readdir, readFile } from 'node:fs/promises'

/*
 * Loads every entry of the client, and what the command loads only when it is used. Those files are
 * named by a hash, and do nothing yet.
 */
const packages = new URL('./node_modules/', import.meta.url)
const manifest = await readFile(new URL('@stowage/client/package.json', packages), 'utf8')
const entries = Object.keys(JSON.parse(manifest).exports)
for (const entry of entries) await import(`@stowage/client${entry.slice(1)}`)

const folder = new URL('stowage/dist/', packages)
const files = (await readdir(folder)).filter((name) => /-[A-Z0-9]{8}\.js$/.test(name))
for (const name of files) await import(new URL(name, folder).href)

process.stdout.write(JSON.stringify({ entries, files: files.length }))
