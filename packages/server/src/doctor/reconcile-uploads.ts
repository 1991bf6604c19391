import type { Finding } from '../domain/finding.ts'
import { isUploadInUse } from '../domain/upload-in-use.ts'
import { inBatches } from '../iterables/in-batches.ts'
import type { StorageUpload } from '../storage/storage.ts'
import { type DoctorContext, keysBeingRemoved } from './doctor-context.ts'

const BATCH = 1000
/** As in the job: uploads without an asset may belong to a running move. */
const UNKNOWN_UPLOAD_MS = 24 * 3_600_000

interface Orphan {
  upload: StorageUpload
  reason: string
}

/** Finds open uploads in the storage that can't be completed: their asset is not uploading, or does not exist. */
export async function* reconcileUploads(context: DoctorContext): AsyncIterable<Finding> {
  const { contents, repair } = context
  const { count, orphans, recent } = await findOrphans(context)
  const describe = ({ upload, reason }: Orphan) =>
    `${contents.describeObject(upload.key)} (${reason})`
  if (recent.length > 0) {
    const message = `open uploads in the storage without an asset: ${recent.length}; a running move may have started them, so they are kept for a day`
    yield { check: 'uploads', status: 'note', message, items: recent.map(describe) }
  }
  if (orphans.length > 0) {
    if (repair) for (const { upload } of orphans) await contents.abortUpload(upload)
    const items = orphans.map(describe)
    const message = `open uploads in the storage that can't be completed: ${orphans.length}`
    yield repair
      ? {
          check: 'uploads',
          status: 'fixed',
          message: `${message}; removed with their parts`,
          items,
        }
      : { check: 'uploads', status: 'error', message, items, remedy: 'stowage doctor --repair' }
  }
  if (orphans.length + recent.length > 0) return
  const message = `${count} open in the storage, each with its asset`
  yield { check: 'uploads', status: 'ok', message }
}

async function findOrphans({ database, contents, signedForMs }: DoctorContext) {
  const now = await database.readClock()
  const old = new Date(now.getTime() - signedForMs - UNKNOWN_UPLOAD_MS)
  const orphans: Orphan[] = []
  const recent: Orphan[] = []
  let count = 0
  for await (const batch of inBatches(contents.listUploads(), BATCH)) {
    count += batch.length
    // In this order, and the storage last: an upload that ended in the meantime is not a problem.
    const states = await database.readStates(batch.map(({ key }) => key))
    const isBeingRemoved = await keysBeingRemoved(database)
    for (const { openedAt, ...upload } of batch) {
      const state = states.get(upload.key)
      const isInUse = state ? isUploadInUse(state, upload.id) : await hasObject(contents, upload)
      if (isInUse || isBeingRemoved.has(upload.key)) continue
      if ((await contents.listParts(upload)) === undefined) continue
      const orphan = { upload, reason: state?.status ?? 'no asset' }
      if (state === undefined && openedAt > old) recent.push(orphan)
      else orphans.push(orphan)
    }
  }
  return { count, orphans, recent }
}

/** An object without any row may be the only copy of a file, so its upload is kept. */
async function hasObject(
  contents: DoctorContext['contents'],
  { key }: StorageUpload,
): Promise<boolean> {
  return (await contents.findObject(key)) !== undefined
}
