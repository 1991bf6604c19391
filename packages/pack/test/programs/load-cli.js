import { readdir } from 'node:fs/promises'

/*
 * Loads the files that the CLI loads on demand, and prints how many there are. Their names contain a
 * hash. Loading them has no effect.
 */
const folder = new URL('./node_modules/stowage/dist/', import.meta.url)
const files = (await readdir(folder)).filter((name) => /-[A-Z0-9]{8}\.js$/.test(name))
for (const name of files) await import(new URL(name, folder).href)
process.stdout.write(String(files.length))
