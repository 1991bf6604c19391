import { mkdirSync } from 'node:fs'
import { mkdir, open, rename, statfs } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

const IS_WINDOWS = process.platform === 'win32'
const PAUSE_MS = 20
const MAX_ATTEMPTS = 100

export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT')
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/** Whether the error comes from the operating system, such as a failing disk. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'errno' in error
}

/** EBADMSG and EUCLEAN, for which Node has no names: the file system found a wrong checksum, or is damaged. */
const LINUX_READ_ERRORS = [-74, -117]

/** Whether the disk failed to read, or the file system does not permit it. */
export function isReadError(error: unknown): boolean {
  if (hasCode(error, 'EIO', 'EACCES', 'EPERM')) return true
  if (process.platform !== 'linux' || !(error instanceof Error)) return false
  return 'errno' in error && LINUX_READ_ERRORS.includes(Number(error.errno))
}

/** Free space of the folder's file system for this user, in bytes. */
export async function readFree(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Creates the last folder of the path. It is not an error if it exists. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
}

/** `makeFolder`, synchronously. */
export function makeFolderSync(folder: string): void {
  try {
    mkdirSync(folder)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
}

/** Makes renames into and out of the folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows can't sync a folder. NTFS journals renames.
  if (IS_WINDOWS) return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Whether Windows refused a rename because a file is open. It uses any of these codes. */
export function isInUse(error: unknown): boolean {
  return IS_WINDOWS && hasCode(error, 'EPERM', 'EACCES', 'EBUSY')
}

/**
 * Renames a file or folder. Windows refuses this while the target or a file in the folder is open, for
 * example in a virus scanner or for a part in transfer, so it is retried there for two seconds.
 */
export async function move(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await rename(from, to)
    } catch (error) {
      if (!isInUse(error) || attempt === MAX_ATTEMPTS) throw error
      await pause(PAUSE_MS)
    }
  }
}
