import type { AssetRecord } from '../database/asset-record.ts'
import type { Database } from '../database/database.ts'
import { walkRecords } from '../database/walk-records.ts'
import { DamagedObject } from '../errors.ts'
import { inBatches } from '../iterables/in-batches.ts'
import { limitConcurrency, settleAll, stopAfterFailure } from '../iterables/limit-concurrency.ts'
import { mergeByKey, type Pair } from '../iterables/merge-by-key.ts'
import type { ObjectFacts, StorageUpload } from '../storage/storage.ts'
import { compareObject } from './compare-object.ts'
import { copyAccounts, type Destinations } from './copy-accounts.ts'
import { copyEvents, refuseOtherEvents } from './copy-events.ts'
import { copyObject, filesOf, type SourceFile, targetPlan } from './copy-object.ts'
import { copyWebhooks } from './copy-webhooks.ts'
import { type Move, type MoveProgress, MoveRefused, type MoveResult } from './move.ts'

const BATCH = 500
/** How many assets are written in one transaction. An interrupted run has to copy at most this many again. */
const GROUP = 32
const MAX_TRANSFERS = 4
const MAX_LISTED = 5
const NO_DESTINATIONS: Destinations = { accounts: new Map(), products: new Map() }

/**
 * Copies the accounts, keys, products, events and webhooks, and all assets, ready or in the trash, with all their
 * versions, IDs and timestamps. Idempotent: existing assets are skipped, so an interrupted run can be repeated. Refuses
 * a target with assets or events that differ from the source. With `ahead`, it copies only the files.
 */
export async function moveService(
  options: Omit<Move, 'inSlot' | 'onBytes'> & { onProgress: (progress: MoveProgress) => void },
): Promise<MoveResult> {
  const { onProgress, ...rest } = options
  const progress = await totals(options.source.database)
  let bytesSent = 0
  const move: Move = {
    ...rest,
    inSlot: stopAfterFailure(limitConcurrency(MAX_TRANSFERS)),
    onBytes(count, isSent) {
      progress.bytes += count
      if (isSent) bytesSent += count
      onProgress(progress)
    },
  }
  if (!move.ahead) await refuseDifferentAssets(move)
  if (!move.ahead) await refuseOtherEvents(move)
  const destinations = move.ahead ? NO_DESTINATIONS : await copyAccounts(move)
  if (!move.ahead) await refuseDifferentAssets(move, destinations.products)
  const started = await findStartedUploads(move)
  const leftOver: string[] = []
  for await (const group of inBatches(stepsOf(move, leftOver), GROUP)) {
    await copyGroup(move, { group, started, destinations })
    progress.assets += group.length
    onProgress(progress)
  }
  if (!move.ahead) await copyEvents(move, destinations)
  if (!move.ahead) await removeLeftOver(move, leftOver)
  if (!move.ahead) await copyWebhooks(move, destinations)
  return {
    accounts: destinations.accounts.size,
    products: destinations.products.size,
    assets: progress.assets,
    bytes: progress.bytes,
    bytesSent,
    uploadsLeft: (await Array.fromAsync(move.source.contents.listUploads())).length,
  }
}

async function totals(database: Database): Promise<MoveProgress> {
  const comparisons = await database.compareUsage()
  let trashed = 0
  for (const { accountId } of comparisons) {
    trashed += (await database.of(accountId).listTrash({ page: 1, perPage: 1 })).total
  }
  return {
    assets: 0,
    bytes: 0,
    totalAssets: comparisons.reduce((sum, { actual }) => sum + actual.assets, 0) + trashed,
    totalBytes: comparisons.reduce((sum, { actual }) => sum + actual.stored + actual.trash, 0),
  }
}

function pairsOf({ source, target }: Move): AsyncIterable<Pair<AssetRecord, AssetRecord>> {
  const id = ({ asset }: AssetRecord) => asset.id
  const [from, to] = [walkRecords(source.database), walkRecords(target.database)]
  return mergeByKey(from, to, { left: id, right: id })
}

/**
 * Called before any asset is copied, because assets in the target are never overwritten. With `products`, the
 * attached products are compared, too.
 */
async function refuseDifferentAssets(move: Move, products?: Map<string, string>): Promise<void> {
  const different: string[] = []
  for await (const { left, right } of pairsOf(move)) {
    if (right === undefined || (left && isSame(left, right, products))) continue
    different.push(`${right.asset.id} ${right.asset.filename}`)
  }
  if (different.length === 0) return
  const listed = different.slice(0, MAX_LISTED).join(', ')
  const more = different.length > MAX_LISTED ? ` (${different.length} in total)` : ''
  throw new MoveRefused(
    `these assets of the target do not exist in the source, or differ from it: ${listed}${more}. Delete them there, or use an empty target`,
  )
}

function isSame(left: AssetRecord, right: AssetRecord, products?: Map<string, string>): boolean {
  const facts = ({ asset, key, versions, trashedAt }: AssetRecord) => {
    const older = versions.map(({ chunkSize, ...old }) => old)
    return JSON.stringify([{ ...asset, accountId: '' }, key, older, trashedAt])
  }
  if (facts(left) !== facts(right)) return false
  if (products === undefined) return true
  const attached = left.productIds.map((id) => products.get(id) ?? '')
  return attached.sort().join() === right.productIds.toSorted().join()
}

/** Uploads that an earlier run has started and not completed. */
async function findStartedUploads({ target }: Move): Promise<Map<string, StorageUpload>> {
  const uploads = await Array.fromAsync(target.storage.listUploads())
  return new Map(uploads.map(({ key, id }) => [key, { key, id }]))
}

/** An asset of the source, and its state in the target. */
interface Step {
  record: AssetRecord
  isStored: boolean
  object: ObjectFacts | undefined
}

/** Yields the assets of the source. Adds the keys of objects in the target without such an asset to `leftOver`. */
async function* stepsOf(move: Move, leftOver: string[]): AsyncIterable<Step> {
  const steps = mergeByKey(pairsOf(move), move.target.storage.listObjects(), {
    left: ({ key }) => key,
    right: ({ key }) => key,
  })
  for await (const { key, left: pair, right: object } of steps) {
    if (pair === undefined) leftOver.push(key)
    if (pair?.left === undefined) continue
    yield { record: pair.left, isStored: pair.right !== undefined, object }
  }
}

/** Removes objects that were copied with --ahead and have been deleted in the source since. */
async function removeLeftOver({ source, target }: Move, leftOver: string[]): Promise<void> {
  for (let start = 0; start < leftOver.length; start += BATCH) {
    const batch = leftOver.slice(start, start + BATCH)
    for (const [id, { status }] of await source.database.readStates(batch)) {
      if (status === 'deleted') await target.storage.removeObject(id)
    }
  }
}

/** Copies objects before rows, so that every row in the target has its object. */
async function copyGroup(
  move: Move,
  work: { group: Step[]; started: Map<string, StorageUpload>; destinations: Destinations },
): Promise<void> {
  const { group, started, destinations } = work
  await settleAll(
    group.map(async (step) => {
      const { record } = step
      for (const file of filesOf(record)) {
        const { key, bytes } = file
        if ((await objectOf(move, step, file))?.size === bytes) move.onBytes(bytes, false)
        else await withAssetName(record, () => copyObject(move, file, started.get(key)))
        if (move.verify) await withAssetName(record, () => compareObject(move, file))
      }
    }),
  )
  if (move.ahead) return
  const missing = group.filter(({ isStored }) => !isStored).map(({ record }) => record)
  for (const [accountId, records] of Map.groupBy(missing, ({ asset }) => asset.accountId)) {
    const account = destinations.accounts.get(accountId)
    const assets = records.map((record) => translate(move, record, destinations))
    await account?.data.importRecords({ keys: [], assets })
  }
}

/** The object of the file in the target. The step only has the object whose key is the ID of the asset. */
async function objectOf(
  { target }: Move,
  { record, object }: Step,
  { key }: SourceFile,
): Promise<ObjectFacts | undefined> {
  return key === record.asset.id ? object : target.storage.findObject(key)
}

async function withAssetName(record: AssetRecord, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof DamagedObject)) throw error
    const { id, filename } = record.asset
    throw new DamagedObject(
      `${filename} (${id}): ${error.message}. Run \`stowage doctor --verify\` on the old data folder to list all damaged files, then restore them from a backup or delete them.`,
    )
  }
}

/** The same record with the IDs and part size of the target. */
function translate(move: Move, record: AssetRecord, destinations: Destinations): AssetRecord {
  const { asset, upload, productIds, versions } = record
  const accountId = destinations.accounts.get(asset.accountId)?.id ?? ''
  const { chunkSize } = targetPlan(move, asset.bytes)
  return {
    ...record,
    asset: { ...asset, accountId },
    upload: upload && { ...upload, chunkSize },
    versions: versions.map((old) => ({ ...old, chunkSize: targetPlan(move, old.bytes).chunkSize })),
    productIds: productIds.map((id) => destinations.products.get(id) ?? ''),
  }
}
