import { link, lstat, open, rename, rm } from 'node:fs/promises'
import { StowageError } from '../errors.ts'

/**
 * Gives a finished file its name, at once and whole. False when it is gone. Unless it may write over
 * it, a file of that name stays, however late it came: then it rejects with `file_exists`, and
 * what was finished stays where it is.
 */
export async function placeFile(
  from: string,
  to: string,
  { overwrite }: { overwrite: boolean },
): Promise<boolean> {
  try {
    if (overwrite) await rename(from, to)
    else await moveOnce(from, to)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return false
    throw code === 'EEXIST' ? fileExists(to) : error
  }
}

/** The same, before anything is done for it. */
export async function refuseExisting(path: string): Promise<void> {
  const isThere = await lstat(path).then(
    () => true,
    () => false,
  )
  if (isThere) throw fileExists(path)
}

function fileExists(path: string): StowageError {
  return new StowageError('file_exists', `“${path}” is there already.`)
}

/** Rejects with EEXIST, however late the other came: no moment lies between looking and taking. */
async function moveOnce(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || code === 'ENOENT') throw error
    // A file system without links: an empty file takes the name, and is written over.
    await (await open(to, 'wx')).close()
    return rename(from, to)
  }
  await rm(from, { force: true })
}
