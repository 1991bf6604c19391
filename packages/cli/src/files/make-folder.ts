import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes the folder and those above it. Not by `recursive`, which never ends where a folder can't be
 * made in one that is there: in /proc, or behind a link that leads nowhere.
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  await make(path, mode).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || dirname(path) === path) throw error
    await makeFolder(dirname(path), mode)
    await make(path, mode)
  })
}

/** If it is there already, or a file is, whoever writes into it finds out. */
async function make(path: string, mode = 0o777): Promise<void> {
  await mkdir(path, { mode }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}
