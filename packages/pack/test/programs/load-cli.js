import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

/*
 * Loads every command of the installed CLI, by printing its help, and the packages that the CLI loads on demand. Prints how
 * many there are in the last line.
 */
const main = new URL('./node_modules/stowage/dist/main.js', import.meta.url)
const require = createRequire(main)
const code = await readFile(main, 'utf8')
const { run } = require('./main.js')
const commands = [...code.matchAll(/^ {4}load: async \(\) => .+\)\.(\w+)$/gm)].map(
  ([, name]) => name,
)
for (const name of commands) {
  if ((await run([name, '--help'])) !== 0) throw new Error(`${name} cannot be loaded`)
}
const packages = new Set(
  [...code.matchAll(/(?:require|import)\("([^":]+)"\)/g)].map(([, name]) => name),
)
for (const name of packages) require(name)
process.stdout.write(`${JSON.stringify({ commands: commands.length, packages: packages.size })}\n`)
