import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Upload } from '../../domain/asset.ts'
import type { PartRange } from '../../domain/parts.ts'
import type { AccountContext } from '../context.ts'
import { storageUploadOf } from './storage-upload-of.ts'

export interface SignedPart extends PartRange {
  url: string
}

export interface SignedParts {
  parts: SignedPart[]
  /** When the first of the URLs expires. The upload is kept for longer and can be signed again. */
  expiresAt: Date
}

/** How many URLs are signed before other requests get a turn. */
const BATCH_SIZE = 500

export async function signParts(
  { storage, clock, settings }: AccountContext,
  upload: Pick<Upload, 'storageId' | 'key'>,
  ranges: PartRange[],
): Promise<SignedParts> {
  const stored = storageUploadOf(upload)
  const parts: SignedPart[] = []
  let expiresAt = new Date(clock().getTime() + settings.signedForMs)
  for (let start = 0; start < ranges.length; start += BATCH_SIZE) {
    if (start > 0) await nextTurn()
    const batch = ranges.slice(start, start + BATCH_SIZE)
    const signed = await storage.signParts(stored, batch, expiresAt)
    for (const [index, range] of batch.entries()) {
      parts.push({ ...range, url: signed.urls[index] ?? '' })
    }
    expiresAt = signed.expiresAt
  }
  return { parts, expiresAt }
}
