import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode, isInUse, isMissing } from './file-system.ts'
import type { Layout } from './layout.ts'

/** One rename takes the folder out of everyone's reach; only then it is emptied. */
export async function discard(layout: Layout, folder: string): Promise<void> {
  const grave = join(layout.trash, randomBytes(8).toString('hex'))
  try {
    await rename(folder, grave)
  } catch (error) {
    if (isMissing(error)) {
      if (!existsSync(folder)) return
      // Somebody has removed the trash.
      await mkdir(layout.trash, { recursive: true, mode: 0o700 })
      return discard(layout, folder)
    }
    // Windows does not move a folder with an open file in it, but removes the file. A disk may have no
    // room even for an entry in the trash: emptied where it is, the folder makes some.
    if (!isInUse(error) && !hasCode(error, 'ENOSPC', 'EDQUOT')) throw error
    return rm(folder, { recursive: true, force: true, maxRetries: 10 })
  }
  await rm(grave, { recursive: true, force: true })
}
