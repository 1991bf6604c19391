import type { Upload } from '../../domain/asset.ts'
import type { AccountContext } from '../context.ts'
import { finishInStorage } from './finish-in-storage.ts'

/**
 * Makes the asset ready if the storage already has its object: then a completion was interrupted after
 * the storage had completed the upload. Returns false if there is no such object, or if the size has changed since.
 */
export async function finishIfStored(context: AccountContext, upload: Upload): Promise<boolean> {
  const { data, storage, settings } = context
  const { id, bytes } = upload.asset
  const object = await storage.findObject(upload.key)
  if (object?.size !== bytes) return false
  const { uploadsKeptForMs: keptForMs } = settings
  const { status } = await data.beginCompletion(id, { keptForMs, bytes })
  if (status === 'resized') return false
  await finishInStorage(context, upload, [])
  return true
}
