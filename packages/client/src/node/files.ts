import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { devNull, homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** Different in every process, so that no two processes use the same temporary file. */
const PROCESS = randomBytes(4).toString('hex')
let written = 0

/**
 * Writes a file that only the user can read, and creates its folder with the same restriction. The
 * content is written to a temporary file first, so a crash leaves either the old file or the new one.
 * With `overwrite: false`, an existing file is kept and the call rejects with EEXIST.
 *
 * The calls are synchronous: nothing is synced to the disk, so each takes a few microseconds, while an asynchronous
 * one has to wake up another thread, which takes longer than the call itself.
 */
export async function writePrivateFile(
  path: string,
  text: string,
  { overwrite = true }: { overwrite?: boolean } = {},
): Promise<void> {
  written += 1
  const temporary = `${path}.${PROCESS}${written.toString(36)}`
  const write = () => writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' })
  try {
    try {
      write()
    } catch (error) {
      // Almost always, the folder exists.
      if (!isMissing(error)) throw error
      await makeFolder(dirname(path), 0o700)
      write()
    }
    if (overwrite) return renameSync(temporary, path)
    // Unlike a rename, a hard link fails if the target exists.
    linkSync(temporary, path)
    removeFile(temporary)
  } catch (error) {
    removeFile(temporary)
    throw error
  }
}

/** A missing file is not an error. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

/** Returns undefined if there is no such file. Throws if it cannot be read. */
export function readStateFile(path: string): string | undefined {
  // An error object costs more than this call.
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}

/**
 * Creates the folder and its missing parents. `recursive: true` is not used: it never returns if a folder
 * cannot be created inside an existing path, such as /proc or a broken symlink.
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  await make(path, mode).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || dirname(path) === path) throw error
    await makeFolder(dirname(path), mode)
    await make(path, mode)
  })
}

/** An existing folder or file is not an error here: writing into it reports the problem. */
async function make(path: string, mode = 0o777): Promise<void> {
  await mkdir(path, { mode }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

/** Returns the path of a folder of Stowage inside the folder where programs of this system keep state. */
export function stateFolder(name: string): string {
  const { XDG_STATE_HOME, LOCALAPPDATA } = process.env
  const base =
    process.platform === 'win32' && LOCALAPPDATA
      ? LOCALAPPDATA
      : XDG_STATE_HOME || join(homeFolder(), '.local', 'state')
  return join(base, 'stowage', name)
}

/**
 * The user's home folder. Users without one (common in containers) get the null device, so that every
 * attempt to store a file there fails.
 */
export function homeFolder(): string {
  try {
    return homedir() || devNull
  } catch {
    return devNull
  }
}

/*
 * Shared with the CLI, which bundles this package. Not part of the public API: it may change in
 * any release.
 */
export { folderPath } from '../upload/folder-path.ts'
