import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Upload } from '../../domain/asset.ts'
import type { PartRange } from '../../domain/parts.ts'
import type { StorageUpload } from '../../storage/storage.ts'
import type { AccountContext } from '../context.ts'

export interface SignedPart extends PartRange {
  url: string
}

export interface SignedParts {
  parts: SignedPart[]
  /** When the first of their URLs ends. The upload lives longer, and can be signed again. */
  expiresAt: Date
}

/** What the storage knows of an upload. The object's key is the asset's id. */
export function storageUploadOf(upload: Pick<Upload, 'storageId' | 'asset'>): StorageUpload {
  return { id: upload.storageId, key: upload.asset.id }
}

/** How many are signed before others get their turn. */
const AT_ONCE = 500

export async function signParts(
  { storage, clock, settings }: AccountContext,
  upload: Pick<Upload, 'storageId' | 'asset'>,
  ranges: PartRange[],
): Promise<SignedParts> {
  const stored = storageUploadOf(upload)
  const parts: SignedPart[] = []
  let expiresAt = new Date(clock().getTime() + settings.signedForMs)
  for (let start = 0; start < ranges.length; start += AT_ONCE) {
    if (start > 0) await nextTurn()
    const some = ranges.slice(start, start + AT_ONCE)
    const signed = await storage.signParts(stored, some, expiresAt)
    for (const [index, range] of some.entries()) {
      parts.push({ ...range, url: signed.urls[index] ?? '' })
    }
    expiresAt = signed.expiresAt
  }
  return { parts, expiresAt }
}
