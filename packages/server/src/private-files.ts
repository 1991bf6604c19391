import { closeSync, openSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

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
