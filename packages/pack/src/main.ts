import { parseArgs } from 'node:util'
import { PACKAGES, packAll } from './pack-all.ts'

/*
 * Builds the npm packages of the client and the CLI, or only one of them:
 *
 *     npm run pack [-- FOLDER]      default: dist-packages
 *     npm run pack -- --only stowage
 */
const { values, positionals } = parseArgs({
  options: { only: { type: 'string' } },
  allowPositionals: true,
})
const [folder = 'dist-packages'] = positionals
const names = values.only === undefined ? PACKAGES : [values.only]
for (const tarball of await packAll(folder, names)) process.stdout.write(`${tarball}\n`)
