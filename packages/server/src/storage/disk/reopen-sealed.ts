import { existsSync } from 'node:fs'
import type { StorageUpload } from '../storage.ts'
import { discard } from './discard.ts'
import { move } from './file-system.ts'
import { type Layout, sealedFolder, uploadFolder } from './layout.ts'

/**
 * Reopens an upload whose folder stayed sealed because its completion was interrupted, by a crash or
 * by a failing disk. If the upload was opened again in the meantime, its new folder is kept and the sealed one
 * is removed. Must not be called while a completion of the upload runs.
 */
export async function reopenSealed(layout: Layout, upload: StorageUpload): Promise<void> {
  const sealed = sealedFolder(layout, upload)
  if (!existsSync(sealed)) return
  const folder = uploadFolder(layout, upload)
  if (existsSync(folder)) await discard(layout, sealed)
  else await move(sealed, folder)
}
