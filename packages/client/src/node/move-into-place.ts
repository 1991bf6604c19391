import { link, lstat, open, rename, rm } from 'node:fs/promises'
import { StowageError } from '../errors.ts'

/**
 * Moves a finished file to its final name atomically. Returns false if the file no longer exists. Without
 * `overwrite`, it never replaces a file, even one created at the same time: it rejects with `file_exists`
 * and the finished file stays where it is.
 */
export async function moveIntoPlace(
  from: string,
  to: string,
  { overwrite }: { overwrite: boolean },
): Promise<boolean> {
  try {
    if (overwrite) await rename(from, to)
    else await moveWithoutReplacing(from, to)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return false
    throw code === 'EEXIST' ? fileExists(to) : error
  }
}

/** Rejects with `file_exists` early, before anything is downloaded. */
export async function refuseExisting(path: string): Promise<void> {
  const exists = await lstat(path).then(
    () => true,
    () => false,
  )
  if (exists) throw fileExists(path)
}

function fileExists(path: string): StowageError {
  return new StowageError('file_exists', `“${path}” already exists.`)
}

/** Rejects with EEXIST if the target exists. The check and the creation are one atomic step. */
async function moveWithoutReplacing(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || code === 'ENOENT') throw error
    // Without hard links: create an empty file, which fails if the name exists, and replace it.
    await (await open(to, 'wx')).close()
    return rename(from, to)
  }
  await rm(from, { force: true })
}
