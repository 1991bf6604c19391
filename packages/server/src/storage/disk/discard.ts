import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode, isInUse, isMissing } from './file-system.ts'
import type { Layout } from './layout.ts'

/** Removes a folder atomically: renames it into the trash, then deletes its contents. */
export async function discard(layout: Layout, folder: string): Promise<void> {
  const discarded = join(layout.trash, randomBytes(8).toString('hex'))
  try {
    await rename(folder, discarded)
  } catch (error) {
    if (isMissing(error)) {
      if (!existsSync(folder)) return
      // The trash folder was removed.
      await mkdir(layout.trash, { recursive: true, mode: 0o700 })
      return discard(layout, folder)
    }
    // Windows does not rename a folder with an open file in it, but can remove the file. A full disk
    // may have no space for an entry in the trash: deleting the contents in place frees some.
    if (!isInUse(error) && !hasCode(error, 'ENOSPC', 'EDQUOT')) throw error
    return rm(folder, { recursive: true, force: true, maxRetries: 10 })
  }
  await rm(discarded, { recursive: true, force: true })
}
