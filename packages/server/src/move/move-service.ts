import { type AssetRecord, filesOf, type OldVersion } from '../database/account-data.ts'
import type { Database } from '../database/database.ts'
import { walkRecords } from '../database/walk-database.ts'
import type { Integrity } from '../domain/asset.ts'
import { DamagedObject } from '../domain/errors.ts'
import { limitConcurrency, settleAll, stopAfterFailure } from '../iterables/concurrency.ts'
import { inBatches, mergeByKey, type Pair } from '../iterables/sequences.ts'
import type { ObjectFacts, StorageUpload } from '../storage/storage.ts'
import {
  copyAccounts,
  copyEvents,
  copyFileOrders,
  copyWebhooks,
  type Destinations,
  refuseOtherEvents,
  refuseUnreadableSecrets,
} from './copy-accounts.ts'
import { copyMails } from './copy-mails.ts'
import { compareObject, copyObject, targetPlan } from './copy-object.ts'
import { copyOrders } from './copy-orders.ts'
import {
  type DamagedFile,
  type Move,
  type MoveProgress,
  MoveRefused,
  type MoveResult,
} from './move.ts'

const BATCH = 500
/** How many assets are written in one transaction. An interrupted run has to copy at most this many again. */
const GROUP = 32
const MAX_TRANSFERS = 4
const MAX_LISTED = 5
const NO_DESTINATIONS: Destinations = { accounts: new Map(), products: new Map() }

/**
 * Copies the accounts, keys, products, events, webhooks and orders, and all assets, ready or in the trash, with all their
 * versions, IDs and timestamps. Idempotent: existing assets are skipped, so an interrupted run can be repeated. Refuses
 * a target with assets or events that differ from the source. With `ahead`, it copies only the files.
 */
export async function moveService(
  options: Omit<Move, 'inSlot' | 'onBytes' | 'onDamaged'> & {
    onProgress: (progress: MoveProgress) => void
  },
): Promise<MoveResult> {
  const { onProgress, ...rest } = options
  const progress = await totals(options.source.database)
  let bytesSent = 0
  const damaged: DamagedFile[] = []
  const isFatal = (error: unknown) => !(rest.skipDamaged && error instanceof DamagedObject)
  const move: Move = {
    ...rest,
    inSlot: stopAfterFailure(limitConcurrency(MAX_TRANSFERS), isFatal),
    onDamaged: (file) => damaged.push(file),
    onBytes(count, isSent) {
      progress.bytes += count
      if (isSent) bytesSent += count
      onProgress(progress)
    },
  }
  const unmark = await markUnfinished(move)
  const destinations = move.ahead ? NO_DESTINATIONS : await copyAccounts(move)
  if (!move.ahead) await refuseDifferentAssets(move, destinations.products).catch(unmark)
  const started = await findStartedUploads(move)
  const leftOver: string[] = []
  for await (const group of inBatches(stepsOf(move, leftOver), GROUP)) {
    await copyGroup(move, { group, started, destinations })
    progress.assets += group.length
    onProgress(progress)
  }
  if (!move.ahead) {
    await copyFileOrders(move, destinations)
    await copyEvents(move, destinations)
    await removeLeftOver(move, leftOver)
    await copyWebhooks(move, destinations)
    await copyOrders(move, destinations)
    await copyMails(move, destinations)
    await move.target.database.setUnfinishedMove(undefined)
  }
  return {
    accounts: destinations.accounts.size,
    products: destinations.products.size,
    assets: progress.assets,
    bytes: progress.bytes,
    bytesSent,
    uploadsLeft: await countUnfinished(move.source.database),
    damaged: damaged.sort((one, other) => (one.id < other.id ? -1 : 1)),
  }
}

/** Counts in the database, because the disk storage has no folder of an upload without parts. */
async function countUnfinished(database: Database): Promise<number> {
  let count = 0
  for (const { id } of await database.listAccounts()) {
    count += (await database.of(id).listUploads({ page: 1, perPage: 1 })).total
  }
  return count
}

/**
 * Refuses a target that differs from the source. Otherwise it records in the target that the move is unfinished, so that
 * no service starts on a part of the data. A target that already has all assets may be in use, and is not marked: if this
 * run was killed, that service could not start again. Returns a function that removes a mark of this run and throws.
 */
async function markUnfinished(move: Move): Promise<(error: unknown) => Promise<never>> {
  const { database } = move.target
  const { missing, existing } = await refuseDifferentAssets(move)
  await refuseOtherEvents(move)
  await refuseUnreadableSecrets(move)
  const { unfinishedMove: earlier } = await database.readIdentity()
  const isPartial = existing === 0 || (missing > 0 && !move.ahead)
  if (isPartial || earlier !== undefined) await database.setUnfinishedMove(move.from)
  return async (error) => {
    if (error instanceof MoveRefused) await database.setUnfinishedMove(earlier)
    throw error
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
 * attached products are compared, too. Returns how many assets the target has, and how many it lacks.
 */
async function refuseDifferentAssets(
  move: Move,
  products?: Map<string, string>,
): Promise<{ missing: number; existing: number }> {
  const different: string[] = []
  const counts = { missing: 0, existing: 0 }
  for await (const { left, right } of pairsOf(move)) {
    if (right === undefined) counts.missing += 1
    else counts.existing += 1
    if (right === undefined || (left && isSame(left, right, products))) continue
    different.push(`${right.asset.id} ${right.asset.filename}`)
  }
  if (different.length === 0) return counts
  const listed = different.slice(0, MAX_LISTED).join(', ')
  const more = different.length > MAX_LISTED ? ` (${different.length} in total)` : ''
  throw new MoveRefused(
    `these assets of the target do not exist in the source, or differ from it: ${listed}${more}. Delete them there, or use an empty target`,
  )
}

/** Whether the asset has not changed since it was copied. Its files may have been read again since. */
function isSame(left: AssetRecord, right: AssetRecord, products?: Map<string, string>): boolean {
  const facts = ({ asset, key, versions, trashedAt }: AssetRecord) => {
    const older = versions.map(({ chunkSize, integrity, ...old }) => old)
    return JSON.stringify([{ ...asset, accountId: '', integrity: null }, key, older, trashedAt])
  }
  if (facts(left) !== facts(right) || !haveSameDigests(left, right)) return false
  if (products === undefined) return true
  const attached = left.productIds.map((id) => products.get(id) ?? '')
  return attached.sort().join() === right.productIds.toSorted().join()
}

/** A digest that only one side knows is no difference: the other side has not read the file yet. */
function haveSameDigests(left: AssetRecord, right: AssetRecord): boolean {
  const known = integritiesOf(right)
  return filesOf(left).every(({ key, integrity: { sha256 } }) => {
    const other = known.get(key)?.sha256 ?? null
    return sha256 === null || other === null || sha256 === other
  })
}

function integritiesOf(record: AssetRecord | undefined): Map<string, Integrity> {
  const files = record === undefined ? [] : filesOf(record)
  return new Map(files.map(({ key, integrity }) => [key, integrity]))
}

/** Uploads that an earlier run has started and not completed. */
async function findStartedUploads({ target }: Move): Promise<Map<string, StorageUpload>> {
  const uploads = await Array.fromAsync(target.storage.listUploads())
  return new Map(uploads.map(({ key, id }) => [key, { key, id }]))
}

/** An asset of the source, and its state in the target. */
interface Step {
  record: AssetRecord
  stored: AssetRecord | undefined
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
    yield { record: pair.left, stored: pair.right, object }
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

/** Copies objects before rows, so that every row in the target has its object, unless the object is damaged. */
async function copyGroup(
  move: Move,
  work: { group: Step[]; started: Map<string, StorageUpload>; destinations: Destinations },
): Promise<void> {
  const { group, started, destinations } = work
  const integrities = new Map<string, Integrity>()
  await settleAll(
    group.map(async (step) => {
      const stored = integritiesOf(step.stored)
      for (const file of filesOf(step.record)) {
        const { key, integrity } = file
        const outcome = await copyFile(move, { step, file, started: started.get(key) })
        const wasDamaged = outcome === 'present' && stored.get(key)?.isDamaged === true
        const isDamaged = integrity.isDamaged || wasDamaged || outcome === 'missing'
        integrities.set(key, { ...integrity, isDamaged })
      }
    }),
  )
  if (move.ahead) return
  const changed = group.filter((step) => isChanged(step, integrities)).map(({ record }) => record)
  for (const [accountId, records] of Map.groupBy(changed, ({ asset }) => asset.accountId)) {
    const account = destinations.accounts.get(accountId)
    const assets = records.map((record) => translate(move, record, { destinations, integrities }))
    await account?.data.importRecords({ keys: [], assets })
  }
}

/** Whether the target lacks the asset, or does not know that a file is damaged or intact, or its digest. */
function isChanged({ record, stored }: Step, integrities: Map<string, Integrity>): boolean {
  if (stored === undefined) return true
  const known = integritiesOf(stored)
  return filesOf(record).some(({ key }) => {
    const [now, before] = [integrities.get(key), known.get(key)]
    const isNewDigest = before?.sha256 === null && now?.sha256 !== null
    return isNewDigest || now?.isDamaged !== before?.isDamaged
  })
}

/** `missing`: the file is damaged and was skipped, so that the target has no object. */
async function copyFile(
  move: Move,
  work: { step: Step; file: OldVersion; started: StorageUpload | undefined },
): Promise<'copied' | 'present' | 'missing'> {
  const { step, file, started } = work
  const isPresent =
    (await objectOf(move, step, file))?.size === file.bytes || (await recover(move, file))
  const outcome = isPresent ? 'present' : 'copied'
  try {
    if (isPresent) move.onBytes(file.bytes, false)
    else await copyObject(move, file, started)
  } catch (error) {
    reportDamage(move, work, error)
    return 'missing'
  }
  try {
    if (move.verify) await compareObject(move, file)
  } catch (error) {
    reportDamage(move, work, error)
  }
  return outcome
}

/** Whether a restore in place has brought back an object that the service removed after the backup. */
async function recover({ isRestore, keepParts, target }: Move, file: OldVersion): Promise<boolean> {
  // Other targets are empty.
  if (!isRestore || !keepParts) return false
  return target.storage.recoverObject(file.key, file.bytes)
}

/** Throws unless the error is damage of the source that is skipped. */
function reportDamage(
  move: Move,
  { step, file }: { step: Step; file: OldVersion },
  error: unknown,
): void {
  if (!(error instanceof DamagedObject)) throw error
  const { id } = step.record.asset
  const { filename, version } = file
  const reason = error.message
  if (move.skipDamaged) {
    move.onDamaged({ id, filename, version, reason })
    return
  }
  throw new DamagedObject(
    `${filename} (${id}, version ${version}): ${reason}. Restore the file from a backup and run the command again, or skip damaged files with --skip-damaged. To list all damaged files, run \`stowage doctor --verify\` on the old data folder.`,
  )
}

/** The object of the file in the target. The step only has the object whose key is the ID of the asset. */
async function objectOf(
  { target }: Move,
  { record, object }: Step,
  { key }: OldVersion,
): Promise<ObjectFacts | undefined> {
  return key === record.asset.id ? object : target.storage.findObject(key)
}

/** The same record with the IDs and part size of the target, and what is known of its files there. */
function translate(
  move: Move,
  record: AssetRecord,
  target: { destinations: Destinations; integrities: Map<string, Integrity> },
): AssetRecord {
  const { asset, upload, productIds, versions, key } = record
  const { accounts, products } = target.destinations
  const integrityOf = (objectKey: string | undefined, known: Integrity) =>
    target.integrities.get(objectKey ?? '') ?? known
  const accountId = accounts.get(asset.accountId)?.id ?? ''
  const chunkSizeOf = (bytes: number, { chunkSize }: { chunkSize: number }) =>
    targetPlan(move, { bytes, chunkSize }).chunkSize
  return {
    ...record,
    asset: { ...asset, accountId, integrity: integrityOf(key, asset.integrity) },
    upload: upload && { ...upload, chunkSize: chunkSizeOf(asset.bytes, upload) },
    versions: versions.map((old) => ({
      ...old,
      chunkSize: chunkSizeOf(old.bytes, old),
      integrity: integrityOf(old.key, old.integrity),
    })),
    productIds: productIds.map((id) => products.get(id) ?? ''),
  }
}
