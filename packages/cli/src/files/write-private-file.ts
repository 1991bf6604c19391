import { randomBytes } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from './make-folder.ts'

/**
 * Readable by the user alone, and its folder too where that is made. A crash leaves the old one or the
 * new one, never half of it.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path), 0o700)
  const beside = `${path}.${randomBytes(4).toString('hex')}`
  try {
    await writeFile(beside, text, { mode: 0o600, flag: 'wx' })
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}
