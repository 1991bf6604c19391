import { closeSync, openSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

interface DataFolderLock {
  /** Records which process holds the lock. `name` is its base URL, or its command. */
  describe(holder: { pid: number; name: string; since: Date }): Promise<void>
  close(): void
}

/**
 * Locks the data folder for one process. SQLite takes a lock of the operating system, which is released
 * however the process ends, so it is never stale.
 */
export async function lockDataFolder(
  directory: string,
  { advice = 'or set STOWAGE_DATA to another folder' } = {},
): Promise<DataFolderLock> {
  // Private, because it contains names, URLs and hashes of keys.
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new Error(`STOWAGE_DATA: ${directory} could not be created (${error.message})`)
  })
  const note = join(directory, 'lock.json')
  const file = join(directory, 'lock')
  createPrivateFile(file)
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    takeLock(lock)
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw new Error(`${directory} could not be locked (${error})`)
    throw new Error(
      `${directory} is in use by ${await describeHolder(note)}: stop it first, ${advice}`,
    )
  }
  return {
    describe: (holder) => writeFile(note, `${JSON.stringify(holder)}\n`, { mode: 0o600 }),
    close: () => lock.close(),
  }
}

/** Locking an empty file would write to it each time, which fails on a full disk. */
function takeLock(lock: DatabaseSync): void {
  const [version] = Object.values(lock.prepare('pragma user_version').get() ?? {})
  if (version === 0) lock.exec('pragma user_version = 1')
  lock.exec('begin exclusive')
}

const SQLITE_BUSY = 5

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}

async function describeHolder(note: string): Promise<string> {
  try {
    const { pid, name, since } = JSON.parse(await readFile(note, 'utf8'))
    return `process ${pid} (${name}, since ${since})`
  } catch {
    return 'another process'
  }
}

/**
 * Creates an empty file that only this user can read, unless it exists: in a folder that others can open, the mode of the
 * folder does not protect it. SQLite gives the files next to a database the mode of the database. A failure is not an
 * error here, because the program that then opens the file reports it.
 */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch {}
}

/** The files of the data folder that contain secrets or personal data. */
const PRIVATE_FILE = /^(stowage\.db|lock)/
const OTHERS = 0o077

/** The private files of the folder that other users can read. A folder that only this user can open protects its files. */
export async function listExposedFiles(folder: string): Promise<string[]> {
  if (process.platform === 'win32') return []
  const folderMode = (await stat(folder).catch(() => undefined))?.mode ?? 0
  if ((folderMode & OTHERS) === 0) return []
  const exposed: string[] = []
  for (const name of (await readdir(folder)).sort()) {
    if (!PRIVATE_FILE.test(name)) continue
    const path = join(folder, name)
    const mode = (await stat(path).catch(() => undefined))?.mode ?? 0
    if ((mode & OTHERS) !== 0) exposed.push(path)
  }
  return exposed
}
