/* Loads every entry of the client with require(), and prints their names. */
const { exports: entries } = JSON.parse(
  require('node:fs').readFileSync('node_modules/@stowage/client/package.json', 'utf8'),
)
for (const entry of Object.keys(entries)) require(`@stowage/client${entry.slice(1)}`)
process.stdout.write(JSON.stringify(Object.keys(entries)))
