import { formatSize } from '@stowage/protocol/format'
import { type StoredFile, UNREADABLE_MS } from '../database/database.ts'
import { walkStoredFiles } from '../database/walk-database.ts'
import { DamagedObject, UnreadableObject } from '../domain/errors.ts'
import type { Finding } from '../domain/finding.ts'
import { partPlan } from '../domain/parts.ts'
import { mergeByKey } from '../iterables/sequences.ts'
import { hashObject } from '../storage/hash-object.ts'
import type { ObjectFacts } from '../storage/storage.ts'
import { type DoctorContext, keysBeingRemoved } from './doctor-context.ts'
import { handleOrphans } from './orphans.ts'

const BATCH = 1000
/** When the service next reads a file that was verified here. */
const NEXT_READ_MS = 30 * 24 * 3_600_000
/** The damage that the service recorded when it read the file. */
const RECORDED_DAMAGE =
  'it has changed since it was uploaded, cannot be read, or does not match the declared SHA-256'

/** Compares the versions of all files with objects, both as sorted streams: memory does not grow with their number. */
export async function* reconcileFiles(context: DoctorContext): AsyncIterable<Finding> {
  const { database, contents } = context
  const progress = await openFileProgress(context)
  const withoutObject: StoredFile[] = []
  const withoutRow: ObjectFacts[] = []
  const damaged: string[] = []
  let count = 0
  const pairs = mergeByKey(walkStoredFiles(database), contents.listObjects(), {
    left: ({ key }) => key,
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
    ...(await missingObjects(context, withoutObject, count)),
    damagedObjects(damaged),
    ...(await orphanedObjects(context, withoutRow)),
  ].filter((finding) => finding !== undefined)
  yield* findings
  if (findings.length === 0) {
    const how = context.verify ? ', all bytes verified' : ''
    yield { check: 'files', status: 'ok', message: `${count} checked, each with its object${how}` }
  }
}

function nameOf({ assetId, path, filename, version, isCurrent }: StoredFile): string {
  const name = `${path === null ? '' : `${path}/`}${filename}`
  return `${assetId} ${name}${isCurrent ? '' : ` (version ${version})`}`
}

async function problemOf(
  context: DoctorContext,
  file: StoredFile,
  object: ObjectFacts,
  progress: FileProgress,
): Promise<string | undefined> {
  const problem = await damageOf(context, file, object, progress)
  if (problem === undefined) return undefined
  // A file that was deleted while it was read is not a problem.
  const { key } = file
  const status = (await context.database.readStates([key])).get(key)?.status
  return status === 'ready' ? problem : undefined
}

async function damageOf(
  { database, contents, clock, verify }: DoctorContext,
  { bytes: expected, chunkSize, integrity }: StoredFile,
  { key, size, problem }: ObjectFacts,
  { addBytes }: FileProgress,
): Promise<string | undefined> {
  const isOtherSize = problem === undefined && size !== expected
  if (isOtherSize) return `it has ${size} bytes instead of ${expected}`
  if (!verify) return problem ?? (integrity.isDamaged ? RECORDED_DAMAGE : undefined)
  const object = { key, plan: partPlan(expected, chunkSize) }
  const read = await hashObject(contents, object, addBytes).catch(orDamage)
  const isRead = !(read instanceof DamagedObject)
  const hashes = isRead ? read : { sha256: null }
  const nextMs = read instanceof UnreadableObject ? UNREADABLE_MS : NEXT_READ_MS
  const dueAt = new Date(clock().getTime() + nextMs)
  const recorded = await database.recordVerification(key, { ...hashes, dueAt })
  if (!isRead) return read.message
  if (!recorded?.isDamaged) return undefined
  return `its SHA-256 is ${read.sha256} instead of ${recorded.sha256}`
}

function orDamage(error: unknown): DamagedObject {
  if (error instanceof DamagedObject) return error
  throw error
}

/** Checks each file again, because a file that was deleted in the meantime is not a problem. */
async function missingObjects(
  { database, contents, repair }: DoctorContext,
  files: StoredFile[],
  all: number,
): Promise<Finding[]> {
  const missing: string[] = []
  const recovered: string[] = []
  for (const file of files) {
    const { key, bytes } = file
    const object = await contents.findObject(key)
    const status = (await database.readStates([key])).get(key)?.status
    if (object !== undefined || status !== 'ready') continue
    const isRecovered = repair && (await contents.recoverObject(key, bytes))
    const items = isRecovered ? recovered : missing
    items.push(`${nameOf(file)} (${contents.describeObject(key)})`)
  }
  const findings: Finding[] = []
  if (recovered.length > 0) {
    findings.push({
      check: 'files',
      status: 'fixed',
      message: `files whose object was deleted, brought back from the versions in the bucket: ${recovered.length}`,
      items: recovered,
    })
  }
  if (missing.length === 0) return findings
  const hint = missing.length === all ? '; check that STOWAGE_STORAGE is the right storage' : ''
  const versions = repair
    ? ''
    : 'if the bucket keeps versions, bring the objects back with stowage doctor --repair; otherwise '
  return [
    ...findings,
    {
      check: 'files',
      status: 'error',
      message: `files without an object in the storage: ${missing.length} of ${all}${hint}`,
      items: missing,
      remedy: `${versions}restore the objects from a backup, or delete the assets: DELETE /api/v1/assets/:id`,
    },
  ]
}

function damagedObjects(items: string[]): Finding | undefined {
  if (items.length === 0) return undefined
  return {
    check: 'files',
    status: 'error',
    message: `damaged files: ${items.length}`,
    items,
    remedy:
      'restore the objects from a backup and run stowage doctor --verify, or replace the files',
  }
}

/**
 * An object whose asset or version was deleted, cancelled or expired can be removed. An object without any row may
 * be the only copy of a file whose row was lost, so it is kept.
 */
async function orphanedObjects(context: DoctorContext, objects: ObjectFacts[]): Promise<Finding[]> {
  const { database, contents, repair } = context
  const leftOver: string[] = []
  const unknown: string[] = []
  for (let start = 0; start < objects.length; start += BATCH) {
    const keys = objects.slice(start, start + BATCH).map(({ key }) => key)
    // The states are read before the removals, and the storage last: an object that was just removed is not a problem.
    const states = await database.readStates(keys)
    const isBeingRemoved = await keysBeingRemoved(database)
    for (const key of keys) {
      const status = states.get(key)?.status
      const isWanted = status === 'uploading' || status === 'completing' || status === 'ready'
      if (isWanted || isBeingRemoved.has(key)) continue
      if ((await contents.findObject(key)) === undefined) continue
      if (status === undefined) unknown.push(key)
      else leftOver.push(`${contents.describeObject(key)} (${status})`)
      if (repair && status !== undefined) await contents.removeObject(key)
    }
  }
  const findings: Finding[] = []
  if (leftOver.length > 0) {
    const message = `objects of deleted, cancelled or expired assets, still in the storage: ${leftOver.length}`
    findings.push(
      repair
        ? { check: 'files', status: 'fixed', message: `${message}; removed`, items: leftOver }
        : {
            check: 'files',
            status: 'error',
            message,
            items: leftOver,
            remedy: 'stowage doctor --repair',
          },
    )
  }
  if (unknown.length > 0) findings.push(await handleOrphans(context, unknown))
  return findings
}

const PROGRESS_INTERVAL_MS = 500

interface FileProgress {
  /** Counts a checked file. */
  addFile(): void
  /** Counts bytes read of the current file. */
  addBytes(count: number): void
}

/** Reports how many files were checked, and with `verify` how many of their bytes were read. */
async function openFileProgress(context: DoctorContext): Promise<FileProgress> {
  const { database, clock, verify, onProgress } = context
  const total = verify ? await storedBytes(database) : 0
  let files = 0
  let bytes = 0
  let reportedAt = 0

  function report(): void {
    const now = clock().getTime()
    if (Math.abs(now - reportedAt) < PROGRESS_INTERVAL_MS) return
    reportedAt = now
    const read = verify ? `, ${formatSize(bytes)} of ${formatSize(total)} read` : ''
    onProgress(`${files} ${files === 1 ? 'file' : 'files'} checked${read}`)
  }

  return {
    addFile() {
      files += 1
      report()
    },
    addBytes(count) {
      bytes += count
      report()
    },
  }
}

/** Includes the files in the trash, which are checked, too. */
async function storedBytes(database: DoctorContext['database']): Promise<number> {
  let bytes = 0
  for (const { id } of await database.listAccounts()) {
    const { stored, trash } = await database.of(id).readSummary()
    bytes += stored + trash
  }
  return bytes
}
