import { isLeftOpen, isUploadInUse } from '../domain/asset.ts'
import { EngineUnavailable } from '../domain/errors.ts'
import type { Finding } from '../domain/finding.ts'
import { inBatches } from '../iterables/sequences.ts'
import { closeStoredUpload, isStillOpen } from '../operations/uploads/in-storage.ts'
import type { StorageUpload } from '../storage/storage.ts'
import { type DoctorContext, keysBeingRemoved } from './doctor-context.ts'

const BATCH = 1000
/** The same time as in `jobs/uploads.ts`: uploads without an asset may belong to a running move. */
const UNKNOWN_UPLOAD_MS = 24 * 3_600_000

interface Orphan {
  upload: StorageUpload
  reason: string
}

/**
 * Finds open uploads in the storage that can't be completed: their asset is not uploading, or does not exist. Also finds
 * open uploads whose file is already stored: a program that aborts such an upload may destroy the file.
 */
export async function* reconcileUploads(context: DoctorContext): AsyncIterable<Finding> {
  const { contents, repair } = context
  const { count, orphans, recent, leftOpen } = await findOrphans(context)
  const describe = ({ upload, reason }: Orphan) =>
    `${contents.describeObject(upload.key)} (${reason})`
  yield* repair ? closeAll(context, leftOpen) : reportLeftOpen(leftOpen.map(describe))
  if (recent.length > 0) {
    const message = `open uploads in the storage without an asset: ${recent.length}; a running move may have started them, so they are kept for at least a day`
    yield { check: 'uploads', status: 'note', message, items: recent.map(describe) }
  }
  if (orphans.length > 0) {
    if (repair) for (const { upload } of orphans) await contents.abortUpload(upload)
    const items = orphans.map(describe)
    const message = `open uploads in the storage that cannot be completed: ${orphans.length}`
    yield repair
      ? {
          check: 'uploads',
          status: 'fixed',
          message: `${message}; removed with their parts`,
          items,
        }
      : { check: 'uploads', status: 'error', message, items, remedy: 'stowage doctor --repair' }
  }
  if (orphans.length + recent.length + leftOpen.length > 0) return
  const message = `${count} open in the storage, each with its asset`
  yield { check: 'uploads', status: 'ok', message }
}

async function findOrphans({ database, contents, signedForMs }: DoctorContext) {
  const now = await database.readClock()
  const old = new Date(now.getTime() - signedForMs - UNKNOWN_UPLOAD_MS)
  const orphans: Orphan[] = []
  const recent: Orphan[] = []
  const leftOpen: Orphan[] = []
  let count = 0
  for await (const batch of inBatches(contents.listUploads(), BATCH)) {
    count += batch.length
    // The states are read before the removals, and the storage last: an upload that ended meanwhile is not a problem.
    const states = await database.readStates(batch.map(({ key }) => key))
    const isBeingRemoved = await keysBeingRemoved(database)
    for (const { openedAt, ...upload } of batch) {
      if (isBeingRemoved.has(upload.key)) continue
      const state = states.get(upload.key)
      const isRecent = state === undefined && openedAt > old
      const orphan = { upload, reason: state?.status ?? 'no asset' }
      if (state ? isLeftOpen(state, upload.id) : await hasObject(contents, upload)) {
        if (!isRecent && (await isStillOpen(contents, upload))) leftOpen.push(orphan)
        continue
      }
      if (state && isUploadInUse(state, upload.id)) continue
      if ((await contents.listParts(upload)) === undefined) continue
      if (isRecent) recent.push(orphan)
      else orphans.push(orphan)
    }
  }
  return { count, orphans, recent, leftOpen }
}

/** An object without any row may be the only copy of a file, so its upload is never aborted. */
async function hasObject(
  contents: DoctorContext['contents'],
  { key }: StorageUpload,
): Promise<boolean> {
  return (await contents.findObject(key)) !== undefined
}

const LEFT_OPEN = 'open uploads in the storage whose files are already stored'

function* reportLeftOpen(items: string[]): Iterable<Finding> {
  if (items.length === 0) return
  const message = `${LEFT_OPEN}: ${items.length}; do not abort them, because on Ceph that destroys the files; the service closes them within an hour`
  yield { check: 'uploads', status: 'error', message, items, remedy: 'stowage doctor --repair' }
}

async function* closeAll(
  { database, contents }: DoctorContext,
  uploads: Orphan[],
): AsyncIterable<Finding> {
  const closed: string[] = []
  const failed: string[] = []
  for (const { upload } of uploads) {
    const name = contents.describeObject(upload.key)
    try {
      await closeStoredUpload({ database, storage: contents }, upload)
      closed.push(name)
    } catch (error) {
      // The message of `EngineUnavailable` only names the engine. Its cause has the reason.
      const reason = error instanceof EngineUnavailable ? error.cause : error
      failed.push(`${name}: ${reason instanceof Error ? reason.message : reason}`)
    }
  }
  if (closed.length > 0) {
    const message = `${LEFT_OPEN}: ${closed.length}; the uploads were closed, and the files were kept`
    yield { check: 'uploads', status: 'fixed', message, items: closed }
  }
  if (failed.length > 0) {
    const message = `${LEFT_OPEN}: ${failed.length} could not be closed; do not abort them, because on Ceph that destroys the files`
    yield { check: 'uploads', status: 'error', message, items: failed }
  }
}
