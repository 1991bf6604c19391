import { packAll } from './pack-all.ts'

/*
 * Makes the packages that people install:
 *
 *     npm run pack [-- FOLDER]      FOLDER: dist-packages, if left out
 */
const [folder = 'dist-packages'] = process.argv.slice(2)
for (const tarball of await packAll(folder)) process.stdout.write(`${tarball}\n`)
