import { existsSync } from 'node:fs'
import type { StorageUpload } from '../storage.ts'
import { discard } from './discard.ts'
import { move } from './file-system.ts'
import { type Layout, sealedFolder, uploadFolder } from './layout.ts'

/**
 * Makes a sealed folder an upload again whose completion was cut off between its renames, by a crash
 * or by a disk that failed. If the upload was opened anew since, that one is kept. Not to be called
 * while a completion of the upload runs.
 */
export async function reopenSealed(layout: Layout, upload: StorageUpload): Promise<void> {
  const sealed = sealedFolder(layout, upload)
  if (!existsSync(sealed)) return
  const folder = uploadFolder(layout, upload)
  if (existsSync(folder)) await discard(layout, sealed)
  else await move(sealed, folder)
}
