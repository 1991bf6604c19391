/*
 * Shared with the CLI, which bundles this package. Not part of the public API: it may change in
 * any release.
 */
export { folderPath } from '../../upload/folder-path.ts'
export { homeFolder } from './home-folder.ts'
export { makeFolder } from './make-folder.ts'
export { stateFolder } from './state-folder.ts'
export { writePrivateFile } from './write-private-file.ts'
