import { mkdirSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'

export function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT')
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
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
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
