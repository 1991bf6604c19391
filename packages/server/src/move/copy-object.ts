import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { AssetVersion } from '../domain/asset.ts'
import { DamagedObject } from '../domain/errors.ts'
import {
  type PartPlan,
  type PartRange,
  partLength,
  partPlan,
  partRange,
  partRanges,
  planParts,
} from '../domain/parts.ts'
import { settleAll } from '../iterables/concurrency.ts'
import { hashObject } from '../storage/hash-object.ts'
import type { Storage, StorageContents, StorageUpload, StoredPart } from '../storage/storage.ts'
import type { Move } from './move.ts'

const DAY_MS = 24 * 3_600_000

/** How the file is divided into parts in the target. */
export function targetPlan({ target, keepParts }: Move, file: PartSizes): PartPlan {
  const { bytes: size } = file
  if (keepParts) return sourcePlan(file)
  return planParts(size, { chunkSize: target.chunkSize, maxParts: target.storage.maxParts })
}

/** One version of a file of the source. */
export type SourceFile = Pick<AssetVersion, 'key' | 'bytes' | 'mime' | 'chunkSize'>

type PartSizes = Pick<AssetVersion, 'bytes' | 'chunkSize'>

/** How the file is divided into parts in the source. */
function sourcePlan({ bytes, chunkSize }: PartSizes): PartPlan {
  return partPlan(bytes, chunkSize)
}

/**
 * Uploads one file to the target as a client would. Parts that an earlier run sent to an upload that is
 * still open are not sent again. Throws `DamagedObject` if the source cannot be read; the parts that were sent then stay
 * in the target for the next run, unless damaged files are skipped.
 */
export async function copyObject(
  move: Move,
  file: SourceFile,
  started: StorageUpload | undefined,
): Promise<void> {
  const { source, target, clock, onBytes } = move
  const { storage } = target
  const { key, mime } = file
  const plan = targetPlan(move, file)
  const parts = started && (await partsOfPlan(storage, started, plan))
  const upload = started && parts ? started : { key, id: await open(move, key, mime) }
  const stored = new Map(parts?.map((part) => [part.number, part]))
  const object = { key, plan: sourcePlan(file) }
  const counted: { length: number; isSent: boolean }[] = []
  let hasFailed = false
  const transfers = partRanges(plan).map((range) =>
    move.inSlot(async () => {
      // The other parts of a damaged file are useless.
      if (hasFailed) return
      try {
        await copyPart(range)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }),
  )
  try {
    await settleAll(transfers)
  } catch (error) {
    if (error instanceof DamagedObject && move.skipDamaged) {
      await storage.abortUpload(upload)
      for (const { length, isSent } of counted) onBytes(-length, isSent)
    }
    throw error
  }
  await complete(storage, upload, plan)

  async function copyPart(range: PartRange): Promise<void> {
    const length = partLength(range)
    const bytes = () => readRange(source.contents, object, range)
    const md5 = await md5Of(bytes())
    const isSent = !isSame(stored.get(range.number), { length, md5 })
    if (isSent) {
      const tomorrow = new Date(clock().getTime() + DAY_MS)
      const { urls } = await storage.signParts(upload, [range], tomorrow)
      const [url = ''] = urls
      await sendPart({ url, length, bytes }, md5)
    }
    counted.push({ length, isSent })
    onBytes(length, isSent)
  }
}

/** Reads the file from source and target, and throws if they differ. `DamagedObject` is damage of the source. */
export async function compareObject(move: Move, file: SourceFile): Promise<void> {
  const { source, target, inSlot } = move
  const { key, bytes } = file
  const [before, after] = await Promise.all([
    inSlot(async () => (await hashObject(source.contents, { key, plan: sourcePlan(file) })).sha256),
    inSlot(() => hashTarget(move, file)),
  ])
  const object = await target.storage.findObject(key)
  if (before === after && object?.size === bytes) return
  throw new Error(
    `the copy in the target differs from the source: ${target.storage.describeObject(key)}. Delete this object in the target, then run the command again`,
  )
}

/** Returns undefined if the target is damaged. */
async function hashTarget(move: Move, file: SourceFile): Promise<string | undefined> {
  try {
    const object = { key: file.key, plan: targetPlan(move, file) }
    return (await hashObject(move.target.storage, object)).sha256
  } catch (error) {
    if (error instanceof DamagedObject) return undefined
    throw error
  }
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

interface PartToSend {
  url: string
  length: number
  /** Called once per attempt. */
  bytes: () => AsyncIterable<Uint8Array>
}

const MAX_ATTEMPTS = 5
const BASE_PAUSE_MS = 50
const STALL_TIMEOUT_MS = 60_000

export async function md5Of(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const hash = createHash('md5')
  for await (const chunk of bytes) hash.update(chunk)
  return hash.digest()
}

/**
 * Sends a part with its MD5, which S3-compatible storage verifies. Retries temporary failures; throws if the
 * storage refuses the part.
 */
export async function sendPart(part: PartToSend, md5: Buffer): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const problem = await tryToSend(part, md5)
    if (problem === undefined) return
    if (!problem.isTemporary || attempt === MAX_ATTEMPTS) throw problem.error
    await pause(BASE_PAUSE_MS * 2 ** attempt)
  }
}

async function tryToSend(
  { url, length, bytes }: PartToSend,
  md5: Buffer,
): Promise<{ isTemporary: boolean; error: Error } | undefined> {
  const stall = watchForStall()
  try {
    const body = Readable.toWeb(Readable.from(stall.watch(bytes())))
    const response = await fetch(url, {
      method: 'PUT',
      signal: stall.signal,
      headers: { 'Content-Length': String(length), 'Content-MD5': md5.toString('base64') },
      ...(length > 0 && { body, duplex: 'half' }),
    } as RequestInit)
    const text = await response.text()
    if (response.ok) return undefined
    const isDamaged = text.includes('BadDigest')
    const isTemporary = response.status >= 500 || response.status === 429 || isDamaged
    const message = `the storage refused a part (HTTP ${response.status}): ${text.slice(0, 300)}`
    return { isTemporary, error: new Error(message) }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    // The source is damaged, so a retry does not help.
    if (cause instanceof DamagedObject) return { isTemporary: false, error: cause }
    const message = `the storage cannot be reached (${cause}). Run the command again when it is reachable`
    return { isTemporary: true, error: new Error(message) }
  } finally {
    stall.close()
  }
}

/** Aborts if no byte is sent for a while. A part that makes progress may take any time. */
function watchForStall() {
  const controller = new AbortController()
  const giveUp = () => controller.abort(new Error('no response'))
  let timer = setTimeout(giveUp, STALL_TIMEOUT_MS)
  return {
    signal: controller.signal,
    async *watch(bytes: AsyncIterable<Uint8Array>) {
      for await (const chunk of bytes) {
        clearTimeout(timer)
        timer = setTimeout(giveUp, STALL_TIMEOUT_MS)
        yield chunk
      }
    },
    close: () => clearTimeout(timer),
  }
}

/**
 * Reads the bytes of an object from `start` to `end` (exclusive), whatever its part size. Reads every
 * part to its end, as only then its digest is verified.
 */
export async function* readRange(
  contents: Pick<StorageContents, 'readPart'>,
  object: { key: string; plan: PartPlan },
  { start, end }: { start: number; end: number },
): AsyncIterable<Uint8Array> {
  const { plan } = object
  const first = Math.floor(start / plan.chunkSize) + 1
  for (let number = first; number <= plan.count; number += 1) {
    let offset = partRange(plan, number).start
    if (offset >= end && number > first) return
    for await (const chunk of contents.readPart(object, number)) {
      const from = Math.max(0, start - offset)
      const to = Math.min(chunk.length, end - offset)
      if (to > from) yield chunk.subarray(from, to)
      offset += chunk.length
    }
  }
}
