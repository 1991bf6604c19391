import type { AssetRecord } from '../database/asset-record.ts'
import type { AssetVersion } from '../domain/asset.ts'
import {
  type PartPlan,
  partLength,
  partPlan,
  partRange,
  partRanges,
  planParts,
} from '../domain/parts.ts'
import { settleAll } from '../iterables/limit-concurrency.ts'
import type { Storage, StorageUpload, StoredPart } from '../storage/storage.ts'
import type { Move } from './move.ts'
import { readRange } from './read-range.ts'
import { md5Of, sendPart } from './send-part.ts'

const DAY_MS = 24 * 3_600_000

/** How the file is divided into parts in the target. */
export function targetPlan({ target }: Move, size: number): PartPlan {
  return planParts(size, { chunkSize: target.chunkSize, maxParts: target.storage.maxParts })
}

/** One version of a file of the source. */
export type SourceFile = Pick<AssetVersion, 'key' | 'bytes' | 'mime' | 'filename' | 'chunkSize'>

/** All versions of a file, the current one first. */
export function filesOf({ asset, upload, key, versions }: AssetRecord): SourceFile[] {
  if (upload === undefined || key === undefined) return []
  const { bytes, mime, filename } = asset
  return [{ key, bytes, mime, filename, chunkSize: upload.chunkSize }, ...versions]
}

/** How the file is divided into parts in the source. */
export function sourcePlan({ bytes, chunkSize }: SourceFile): PartPlan {
  return partPlan(bytes, chunkSize)
}

/**
 * Uploads one file to the target as a client would. Parts that an earlier run sent to an upload that is
 * still open are not sent again.
 */
export async function copyObject(
  move: Move,
  file: SourceFile,
  started: StorageUpload | undefined,
): Promise<void> {
  const { source, target, clock, onBytes } = move
  const { storage } = target
  const { key, bytes: size, mime } = file
  const plan = targetPlan(move, size)
  const parts = started && (await partsOfPlan(storage, started, plan))
  const upload = started && parts ? started : { key, id: await open(move, key, mime) }
  const stored = new Map(parts?.map((part) => [part.number, part]))
  const object = { key, plan: sourcePlan(file) }
  const transfers = partRanges(plan).map((range) =>
    move.inSlot(async () => {
      const length = partLength(range)
      const bytes = () => readRange(source.contents, object, range)
      const md5 = await md5Of(bytes())
      const isStored = isSame(stored.get(range.number), { length, md5 })
      if (!isStored) {
        const tomorrow = new Date(clock().getTime() + DAY_MS)
        const { urls } = await storage.signParts(upload, [range], tomorrow)
        const [url = ''] = urls
        await sendPart({ url, length, bytes }, md5)
      }
      onBytes(length, !isStored)
    }),
  )
  await settleAll(transfers)
  await complete(storage, upload, plan)
}

/** Returns undefined if the upload does not exist or has parts of other sizes; it is then aborted. */
async function partsOfPlan(
  storage: Storage,
  upload: StorageUpload,
  plan: PartPlan,
): Promise<StoredPart[] | undefined> {
  const parts = await storage.listParts(upload)
  const isOfPlan = ({ number, size }: StoredPart) =>
    number <= plan.count && size === partLength(partRange(plan, number))
  if (parts?.every(isOfPlan)) return parts
  if (parts !== undefined) await storage.abortUpload(upload)
  return undefined
}

async function open({ target, newId }: Move, key: string, mime: string): Promise<string> {
  return target.storage.createUpload({ key, id: newId(), mime })
}

/** The part is known to be the same only if its ETag is the MD5 of the part, as on most S3-compatible storage. */
function isSame(stored: StoredPart | undefined, part: { length: number; md5: Buffer }): boolean {
  return stored?.size === part.length && stored.etag === part.md5.toString('hex')
}

async function complete(storage: Storage, upload: StorageUpload, plan: PartPlan): Promise<void> {
  const { outcome } = await storage.completeUpload(upload, plan, [])
  const object = await storage.findObject(upload.key)
  if (outcome !== 'completed' || object?.size !== plan.size) {
    throw new Error(`${upload.key} was not copied completely (${outcome}). Run the command again`)
  }
}
