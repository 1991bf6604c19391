import { mkdirSync } from 'node:fs'
import { mkdir, open, rename, statfs } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

const IS_WINDOWS = process.platform === 'win32'
const PAUSE_MS = 20
const MOST_TRIES = 100

export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT')
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/** How many bytes the file system of the folder has left for us. */
export async function readFree(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Only the last folder of the path is made; that it exists already is no error. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
}

/** The same, without a turn of the event loop. */
export function makeFolderNow(folder: string): void {
  try {
    mkdirSync(folder)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
}

/** Makes renames into and out of the folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows can't sync a folder. NTFS keeps a journal of renames.
  if (IS_WINDOWS) return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Whether Windows refused to move something because a file is open: it does so with any of these. */
export function isInUse(error: unknown): boolean {
  return IS_WINDOWS && hasCode(error, 'EPERM', 'EACCES', 'EBUSY')
}

/**
 * Renames. Windows refuses that while the target or a file in the folder is open, be it by a part that
 * arrives or by a virus scanner. It is tried for two seconds there.
 */
export async function move(from: string, to: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await rename(from, to)
    } catch (error) {
      if (!isInUse(error) || tries === MOST_TRIES) throw error
      await pause(PAUSE_MS)
    }
  }
}
