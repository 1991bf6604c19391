import type { AssetRecord } from '../database/account-data.ts'
import type { Database } from '../database/database.ts'
import { walkRecords } from '../database/walk-records.ts'
import { DamagedObject } from '../errors.ts'
import { inBatches } from '../iterables/in-batches.ts'
import { mergeByKey, type Pair } from '../iterables/merge-by-key.ts'
import type { ObjectFacts, StorageUpload } from '../storage/storage.ts'
import { compareObject } from './compare-object.ts'
import { copyAccounts, type Destinations } from './copy-accounts.ts'
import { copyObject, targetPlan } from './copy-object.ts'
import { limitConcurrency, settleAll, stopAfterFailure } from './limit-concurrency.ts'
import { type Move, type MoveProgress, MoveRefused, type MoveResult } from './move.ts'

const BATCH = 500
/** Assets whose rows are put in together; what a killed run leaves undone is at most this many. */
const GROUP = 32
const TRANSFERS_AT_ONCE = 4
const MOST_NAMED = 5
const NOWHERE: Destinations = { accounts: new Map(), products: new Map() }

/**
 * Carries all that is ready, ids and times included. Repeatable: what is there already is skipped,
 * so a run that was killed is simply run again. A target that differs from the source is refused.
 */
export async function moveService(
  wishes: Omit<Move, 'inSlot' | 'onBytes'> & { onProgress: (progress: MoveProgress) => void },
): Promise<MoveResult> {
  const { onProgress, ...rest } = wishes
  const progress = await totals(wishes.source.database)
  let bytesSent = 0
  const move: Move = {
    ...rest,
    inSlot: stopAfterFailure(limitConcurrency(TRANSFERS_AT_ONCE)),
    onBytes(count, isSent) {
      progress.bytes += count
      if (isSent) bytesSent += count
      onProgress(progress)
    },
  }
  if (!move.ahead) await refuseOthers(move)
  const destinations = move.ahead ? NOWHERE : await copyAccounts(move)
  if (!move.ahead) await refuseOthers(move, destinations.products)
  const begun = await uploadsBegun(move)
  const strays: string[] = []
  for await (const group of inBatches(stepsOf(move, strays), GROUP)) {
    await copyGroup(move, { group, begun, destinations })
    progress.assets += group.length
    onProgress(progress)
  }
  if (!move.ahead) await removeStrays(move, strays)
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
  const books = await database.compareUsage()
  return {
    assets: 0,
    bytes: 0,
    totalAssets: books.reduce((sum, { actual }) => sum + actual.assets, 0),
    totalBytes: books.reduce((sum, { actual }) => sum + actual.stored, 0),
  }
}

function pairsOf({ source, target }: Move): AsyncIterable<Pair<AssetRecord, AssetRecord>> {
  const id = ({ asset }: AssetRecord) => asset.id
  const [from, to] = [walkRecords(source.database), walkRecords(target.database)]
  return mergeByKey(from, to, { left: id, right: id })
}

/**
 * Before anything is carried: nothing of the target is ever overwritten. Once it is known which
 * products of the source are which of the target, links are compared, too.
 */
async function refuseOthers(move: Move, products?: Map<string, string>): Promise<void> {
  const others: string[] = []
  for await (const { left, right } of pairsOf(move)) {
    if (right === undefined || (left && isSame(left, right, products))) continue
    others.push(`${right.asset.id} ${right.asset.filename}`)
  }
  if (others.length === 0) return
  const named = others.slice(0, MOST_NAMED).join(', ')
  throw new MoveRefused(
    `the target has ${others.length} assets that the source has not, or has otherwise (${named}): delete them there, or begin with an empty target`,
  )
}

function isSame(left: AssetRecord, right: AssetRecord, products?: Map<string, string>): boolean {
  const facts = ({ asset }: AssetRecord) => JSON.stringify({ ...asset, accountId: '' })
  if (facts(left) !== facts(right)) return false
  if (products === undefined) return true
  const linked = left.productIds.map((id) => products.get(id) ?? '')
  return linked.sort().join() === right.productIds.toSorted().join()
}

/** What an earlier run was in the middle of. */
async function uploadsBegun({ target }: Move): Promise<Map<string, StorageUpload>> {
  const uploads = await Array.fromAsync(target.storage.listUploads())
  return new Map(uploads.map(({ key, id }) => [key, { key, id }]))
}

/** An asset of the source, and what the target has of it by now. */
interface Step {
  record: AssetRecord
  isThere: boolean
  object: ObjectFacts | undefined
}

/** Objects of the target that no ready asset of the source has are noted as strays. */
async function* stepsOf(move: Move, strays: string[]): AsyncIterable<Step> {
  const steps = mergeByKey(pairsOf(move), move.target.storage.listObjects(), {
    left: ({ key }) => key,
    right: ({ key }) => key,
  })
  for await (const { key, left: pair, right: object } of steps) {
    if (pair === undefined) strays.push(key)
    if (pair?.left === undefined) continue
    yield { record: pair.left, isThere: pair.right !== undefined, object }
  }
}

/** What was carried ahead and has been deleted since. */
async function removeStrays({ source, target }: Move, strays: string[]): Promise<void> {
  for (let start = 0; start < strays.length; start += BATCH) {
    const some = strays.slice(start, start + BATCH)
    for (const [id, { status }] of await source.database.readStates(some)) {
      if (status === 'deleted') await target.storage.removeObject(id)
    }
  }
}

/** The bytes first: a row that is there always has its object. */
async function copyGroup(
  move: Move,
  work: { group: Step[]; begun: Map<string, StorageUpload>; destinations: Destinations },
): Promise<void> {
  const { group, begun, destinations } = work
  await settleAll(
    group.map(async ({ record, object }) => {
      const { id, kind, bytes } = record.asset
      if (kind === 'link') return
      if (object?.size === bytes) move.onBytes(bytes, false)
      else await named(record, () => copyObject(move, record, begun.get(id)))
      if (move.verify) await named(record, () => compareObject(move, record))
    }),
  )
  if (move.ahead) return
  const missing = group.filter(({ isThere }) => !isThere).map(({ record }) => record)
  for (const [accountId, records] of Map.groupBy(missing, ({ asset }) => asset.accountId)) {
    const account = destinations.accounts.get(accountId)
    const assets = records.map((record) => translate(move, record, destinations))
    await account?.data.importRecords({ keys: [], assets })
  }
}

async function named(record: AssetRecord, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof DamagedObject)) throw error
    const { id, filename } = record.asset
    throw new DamagedObject(
      `${filename} (${id}): ${error.message}. \`stowage doctor --verify\` on the old data folder lists all of them: put them back from a backup, or delete them there.`,
    )
  }
}

/** The same record, in the target's terms. */
function translate(move: Move, record: AssetRecord, destinations: Destinations): AssetRecord {
  const { asset, upload, productIds } = record
  const accountId = destinations.accounts.get(asset.accountId)?.id ?? ''
  const { chunkSize } = targetPlan(move, asset.bytes)
  return {
    ...record,
    asset: { ...asset, accountId },
    upload: upload && { ...upload, chunkSize },
    productIds: productIds.map((id) => destinations.products.get(id) ?? ''),
  }
}
