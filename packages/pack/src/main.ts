import { packAll } from './pack-all.ts'

/*
 * Builds the npm packages of the client and the CLI:
 *
 *     npm run pack [-- FOLDER]      default: dist-packages
 */
const [folder = 'dist-packages'] = process.argv.slice(2)
for (const tarball of await packAll(folder)) process.stdout.write(`${tarball}\n`)
