import type { AssetRecord } from '../database/account-data.ts'
import type { Database } from '../database/database.ts'
import { walkRecords } from '../database/walk-records.ts'
import type { Finding } from '../domain/finding.ts'
import { partPlan } from '../domain/parts.ts'
import { DamagedObject } from '../errors.ts'
import { mergeByKey } from '../iterables/merge-by-key.ts'
import type { ObjectFacts } from '../storage/storage.ts'
import { type DoctorContext, keysBeingRemoved } from './doctor-context.ts'
import { type FileProgress, openFileProgress } from './file-progress.ts'

const BATCH = 1000

async function* listFiles(database: Database): AsyncIterable<AssetRecord> {
  for await (const record of walkRecords(database)) if (record.asset.kind === 'file') yield record
}

/** Rows against objects, walked side by side: memory does not grow with their number. */
export async function* reconcileFiles(context: DoctorContext): AsyncIterable<Finding> {
  const { database, contents } = context
  const progress = await openFileProgress(context)
  const withoutObject: AssetRecord[] = []
  const withoutRow: ObjectFacts[] = []
  const damaged: string[] = []
  let count = 0
  const pairs = mergeByKey(listFiles(database), contents.listObjects(), {
    left: ({ asset }) => asset.id,
    right: ({ key }) => key,
  })
  for await (const { left, right } of pairs) {
    if (left === undefined && right !== undefined) withoutRow.push(right)
    if (left === undefined) continue
    count += 1
    progress.addFile()
    if (right === undefined) withoutObject.push(left)
    else {
      const problem = await problemOf(context, left, right, progress)
      if (problem !== undefined) damaged.push(`${nameOf(left)}: ${problem}`)
    }
  }
  const findings = [
    await missingObjects(context, withoutObject, count),
    damagedObjects(damaged),
    ...(await strangeObjects(context, withoutRow)),
  ].filter((finding) => finding !== undefined)
  yield* findings
  if (findings.length === 0) {
    const how = context.verify ? ', and every byte was read' : ''
    yield { about: 'files', verdict: 'well', says: `${count} in all, each with its object${how}` }
  }
}

function nameOf({ asset }: AssetRecord): string {
  return `${asset.id} ${asset.filename}`
}

async function problemOf(
  context: DoctorContext,
  record: AssetRecord,
  object: ObjectFacts,
  progress: FileProgress,
): Promise<string | undefined> {
  const problem = await damageOf(context, record, object, progress)
  if (problem === undefined) return undefined
  // What was deleted while it was read is no finding.
  const { id } = record.asset
  const status = (await context.database.readStates([id])).get(id)?.status
  return status === 'ready' ? problem : undefined
}

async function damageOf(
  { contents, verify }: DoctorContext,
  { asset, upload }: AssetRecord,
  { key, size }: ObjectFacts,
  { addBytes }: FileProgress,
): Promise<string | undefined> {
  if (size !== asset.bytes) return `it has ${size} bytes instead of ${asset.bytes}`
  if (!verify) return undefined
  const plan = partPlan(asset.bytes, upload?.chunkSize ?? asset.bytes)
  try {
    for (let number = 1; number <= plan.count; number += 1) {
      for await (const bytes of contents.readPart({ key, plan }, number)) addBytes(bytes.length)
    }
    return undefined
  } catch (error) {
    if (error instanceof DamagedObject) return error.message
    throw error
  }
}

/** Asked again one by one: what was deleted while we looked is no finding. */
async function missingObjects(
  { database, contents }: DoctorContext,
  records: AssetRecord[],
  all: number,
): Promise<Finding | undefined> {
  const missing: string[] = []
  for (const record of records) {
    const { id } = record.asset
    const object = await contents.findObject(id)
    const status = (await database.readStates([id])).get(id)?.status
    if (object !== undefined || status !== 'ready') continue
    missing.push(`${nameOf(record)} (${contents.describeObject(id)})`)
  }
  if (missing.length === 0) return undefined
  const hint = missing.length === all ? '; does STOWAGE_STORAGE name the right place?' : ''
  return {
    about: 'files',
    verdict: 'wrong',
    says: `files whose objects are not in the storage: ${missing.length} of ${all}${hint}`,
    items: missing,
    remedy:
      'put the objects back from a backup or an older version in the bucket; or delete the assets: DELETE /api/v1/assets/:id',
  }
}

function damagedObjects(items: string[]): Finding | undefined {
  if (items.length === 0) return undefined
  return {
    about: 'files',
    verdict: 'wrong',
    says: `files that are not what was sent: ${items.length}`,
    items,
    remedy: 'put the objects back from a backup, or delete the assets and send the files again',
  }
}

/**
 * An object whose asset has ended was left behind, and may go. One without any row may be all that
 * is left of a file whose row was lost: it stays.
 */
async function strangeObjects(
  { database, contents, repair }: DoctorContext,
  objects: ObjectFacts[],
): Promise<Finding[]> {
  const left: string[] = []
  const unknown: string[] = []
  for (let start = 0; start < objects.length; start += BATCH) {
    const keys = objects.slice(start, start + BATCH).map(({ key }) => key)
    // In this order: a removal is noted with the status, and forgotten after the object is gone.
    const states = await database.readStates(keys)
    const isBeingRemoved = await keysBeingRemoved(database)
    for (const key of keys) {
      const status = states.get(key)?.status
      const isWanted = status === 'uploading' || status === 'completing' || status === 'ready'
      if (isWanted || isBeingRemoved.has(key)) continue
      if ((await contents.findObject(key)) === undefined) continue
      if (status === undefined) unknown.push(contents.describeObject(key))
      else left.push(`${contents.describeObject(key)} (${status})`)
      if (repair && status !== undefined) await contents.removeObject(key)
    }
  }
  const findings: Finding[] = []
  if (left.length > 0) {
    const says = `objects of assets that have ended, still in the storage: ${left.length}`
    findings.push(
      repair
        ? { about: 'files', verdict: 'mended', says: `${says}; removed`, items: left }
        : {
            about: 'files',
            verdict: 'wrong',
            says,
            items: left,
            remedy: 'stowage doctor --repair',
          },
    )
  }
  if (unknown.length > 0) {
    findings.push({
      about: 'files',
      verdict: 'wrong',
      says: `objects that belong to no asset: ${unknown.length}; after a database was restored they may be files that came since, so they are kept`,
      items: unknown,
      remedy:
        'when you are sure that nobody misses them, remove them with the tools of the storage',
    })
  }
  return findings
}
