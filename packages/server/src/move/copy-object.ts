import type { AssetRecord } from '../database/account-data.ts'
import {
  type PartPlan,
  partLength,
  partPlan,
  partRange,
  partRanges,
  planParts,
} from '../domain/parts.ts'
import type { Storage, StorageUpload, StoredPart } from '../storage/storage.ts'
import { settleAll } from './limit-concurrency.ts'
import type { Move } from './move.ts'
import { readRange } from './read-range.ts'
import { md5Of, sendPart } from './send-part.ts'

const DAY_MS = 24 * 3_600_000

/** How the file's parts are cut at the target. */
export function targetPlan({ target }: Move, size: number): PartPlan {
  return planParts(size, { chunkSize: target.chunkSize, maxParts: target.storage.maxParts })
}

/** How they are cut where it lies. */
export function sourcePlan({ asset, upload }: AssetRecord): PartPlan {
  return partPlan(asset.bytes, upload?.chunkSize ?? Math.max(asset.bytes, 1))
}

/**
 * Carries the bytes of one file, as a client would send them. Parts that an earlier run brought to an
 * upload that is still open are not sent again.
 */
export async function copyObject(
  move: Move,
  record: AssetRecord,
  begun: StorageUpload | undefined,
): Promise<void> {
  const { source, target, clock, onBytes } = move
  const { storage } = target
  const { id: key, bytes: size, mime } = record.asset
  const plan = targetPlan(move, size)
  const parts = begun && (await partsOfPlan(storage, begun, plan))
  const upload = begun && parts ? begun : { key, id: await open(move, key, mime) }
  const held = new Map(parts?.map((part) => [part.number, part]))
  const object = { key, plan: sourcePlan(record) }
  const works = partRanges(plan).map((range) =>
    move.inSlot(async () => {
      const length = partLength(range)
      const bytes = () => readRange(source.contents, object, range)
      const md5 = await md5Of(bytes())
      const isThere = isSame(held.get(range.number), { length, md5 })
      if (!isThere) {
        const tomorrow = new Date(clock().getTime() + DAY_MS)
        const { urls } = await storage.signParts(upload, [range], tomorrow)
        const [url = ''] = urls
        await sendPart({ url, length, bytes }, md5)
      }
      onBytes(length, !isThere)
    }),
  )
  await settleAll(works)
  await finish(storage, upload, plan)
}

/** Undefined when the upload is gone, or was cut otherwise: then it is given up. */
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

/** Only where a store's ETag is the MD5 of the part it says what the part is. */
function isSame(held: StoredPart | undefined, part: { length: number; md5: Buffer }): boolean {
  return held?.size === part.length && held.etag === part.md5.toString('hex')
}

async function finish(storage: Storage, upload: StorageUpload, plan: PartPlan): Promise<void> {
  const { outcome } = await storage.completeUpload(upload, plan, [])
  const object = await storage.findObject(upload.key)
  if (outcome !== 'completed' || object?.size !== plan.size) {
    throw new Error(`${upload.key} did not arrive whole (${outcome}): run the command again`)
  }
}
