import { randomBytes } from 'node:crypto'
import { link, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from './make-folder.ts'

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
