import { closeSync, fsync, mkdirSync, openSync, renameSync } from 'node:fs'
import { mkdir, rename, statfs } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

const sync = promisify(fsync)
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

/** Free space of a disk. */
export interface FreeSpace {
  /** Asks the disk. */
  read(): Promise<number>
  /** Asks the disk at most once a second, unless fewer than `needed` bytes could be free by now. */
  readRecent(needed: number): Promise<number>
  /** Makes the next call ask the disk, because another one has failed. */
  forget(): void
}

/** How long calls use what the disk returned to an earlier one. */
const RECENT_MS = 1_000
/** More than clients and other programs can write meanwhile. */
const WRITTEN_MEANWHILE = 10_000_000_000

export function watchFreeSpace(ask: () => Promise<number>): FreeSpace {
  let last: { free: Promise<number>; atMs: number } | undefined

  function read(): Promise<number> {
    const free = ask()
    const reading = { free, atMs: performance.now() }
    last = reading
    // After a failure, the next call asks again.
    free.catch(() => {
      if (last === reading) last = undefined
    })
    return free
  }

  return {
    read,
    async readRecent(needed) {
      const recent = last && performance.now() - last.atMs < RECENT_MS ? await last.free : -1
      return recent >= needed + WRITTEN_MEANWHILE ? recent : read()
    },
    forget() {
      last = undefined
    },
  }
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

/**
 * Makes renames into and out of the folder durable. Calls that wait at the same time share a sync: hundreds of uploads
 * change the same few folders, and each sync takes a thread of Node's pool, for which all other calls then wait.
 */
export const syncFolder = openFolderSyncs()

function openFolderSyncs(): (folder: string) => Promise<void> {
  interface Syncs {
    running: Promise<void>
    /** Begins after `running`, which may not include changes that were made since it began. */
    next?: Promise<void>
  }
  const syncs = new Map<string, Syncs>()

  function start(folder: string): Promise<void> {
    const running = syncNow(folder).finally(() => {
      if (syncs.get(folder)?.running === running) syncs.delete(folder)
    })
    syncs.set(folder, { running })
    return running
  }

  return async (folder) => {
    // Windows can't sync a folder. NTFS journals renames.
    if (IS_WINDOWS) return
    const current = syncs.get(folder)
    if (current === undefined) return start(folder)
    const startNext = () => start(folder)
    current.next ??= current.running.then(startNext, startNext)
    return current.next
  }
}

/** Opens and closes the folder synchronously, which takes less time than handing these calls to the thread pool. */
async function syncNow(folder: string): Promise<void> {
  const file = openSync(folder, 'r')
  try {
    await sync(file)
  } finally {
    closeSync(file)
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

/** `move`, synchronously where possible, which takes less time than handing the call to the thread pool. */
export async function moveNow(from: string, to: string): Promise<void> {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!isInUse(error)) throw error
    await move(from, to)
  }
}
