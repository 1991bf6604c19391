import type { Upload } from '../domain/asset.ts'
import type { PartRange } from '../domain/parts.ts'
import type { StorageUpload } from '../storage/storage.ts'
import type { AccountContext } from './context.ts'

export interface SignedPart extends PartRange {
  url: string
}

/** What the storage knows of an upload. The object's key is the asset's id. */
export function storageUploadOf(upload: Upload): StorageUpload {
  return { id: upload.storageId, key: upload.asset.id }
}

/** All addresses in one call, valid as long as the upload. */
export async function signParts(
  { storage }: AccountContext,
  upload: Upload,
  ranges: PartRange[],
): Promise<SignedPart[]> {
  const urls = await storage.signParts(storageUploadOf(upload), ranges, upload.expiresAt)
  return ranges.map((range, index) => ({ ...range, url: urls[index] ?? '' }))
}
