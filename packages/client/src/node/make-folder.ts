import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes the folder and those above it. Not by `recursive`, which never ends where a folder can't be
 * made in one that is there: in /proc, or behind a link that leads nowhere.
 */
export async function makeFolder(path: string): Promise<void> {
  await make(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || dirname(path) === path) throw error
    await makeFolder(dirname(path))
    await make(path)
  })
}

/** For the user alone. If it is there already, or a file is, whoever writes into it finds out. */
async function make(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}
