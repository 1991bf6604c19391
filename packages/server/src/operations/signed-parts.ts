import { setImmediate as nextTurn } from 'node:timers/promises'
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

/** How many are signed before others get their turn. */
const AT_ONCE = 500

/** Addresses that are valid as long as the upload. */
export async function signParts(
  { storage }: AccountContext,
  upload: Upload,
  ranges: PartRange[],
): Promise<SignedPart[]> {
  const stored = storageUploadOf(upload)
  const parts: SignedPart[] = []
  for (let start = 0; start < ranges.length; start += AT_ONCE) {
    if (start > 0) await nextTurn()
    const some = ranges.slice(start, start + AT_ONCE)
    const urls = await storage.signParts(stored, some, upload.expiresAt)
    for (const [index, range] of some.entries()) parts.push({ ...range, url: urls[index] ?? '' })
  }
  return parts
}
