import { randomBytes } from 'node:crypto'
import { link, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { devNull, homedir } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * Writes a file that only the user can read, and creates its folder with the same restriction. The
 * content is written to a temporary file first, so a crash leaves either the old file or the new one.
 * With `overwrite: false`, an existing file is kept and the call rejects with EEXIST.
 */
export async function writePrivateFile(
  path: string,
  text: string,
  { overwrite = true }: { overwrite?: boolean } = {},
): Promise<void> {
  await makeFolder(dirname(path), 0o700)
  const temporary = `${path}.${randomBytes(4).toString('hex')}`
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' })
    // Unlike a rename, a hard link fails if the target exists.
    await (overwrite ? rename : link)(temporary, path)
  } finally {
    // The temporary file still exists after a hard link or a failure, such as a full disk.
    await rm(temporary, { force: true })
  }
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
