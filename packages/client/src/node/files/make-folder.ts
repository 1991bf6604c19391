import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates the folder and its missing parents. `recursive: true` is not used: it never returns if a folder
 * cannot be created inside an existing path, such as /proc or a broken symlink.
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  await make(path, mode).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || dirname(path) === path) throw error
    await makeFolder(dirname(path), mode)
    await make(path, mode)
  })
}

/** An existing folder or file is not an error here: writing into it reports the problem. */
async function make(path: string, mode = 0o777): Promise<void> {
  await mkdir(path, { mode }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}
