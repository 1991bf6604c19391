import type { Finding } from '../domain/finding.ts'
import type { StorageUpload } from '../storage/storage.ts'
import { MANY_REMOVALS, type Patient } from './patient.ts'

const BATCH = 1000
/** The row of an upload is written before it is opened; this is for clocks that differ. */
const YOUNG_MS = 5 * 60_000

/** Open uploads in the storage that nobody can finish: their asset has ended, or there is none. */
export async function* reconcileUploads(patient: Patient): AsyncIterable<Finding> {
  const { things, repair } = patient
  const { count, orphans } = await findOrphans(patient)
  if (orphans.length === 0) {
    const says = `uploads open in the storage: ${count}, each of an asset that waits for it`
    yield { about: 'uploads', verdict: 'well', says }
    return
  }
  if (repair) for (const { upload } of orphans) await things.abortUpload(upload)
  const items = orphans.map(({ upload, why }) => `${things.describeObject(upload.key)} (${why})`)
  const says = `uploads open in the storage that nobody can finish: ${orphans.length}`
  yield repair
    ? { about: 'uploads', verdict: 'mended', says: `${says}; removed with their parts`, items }
    : { about: 'uploads', verdict: 'wrong', says, items, remedy: 'stowage doctor --repair' }
}

async function findOrphans({ database, things, clock }: Patient) {
  const removals = await database.listRemovals(MANY_REMOVALS)
  const isBeingRemoved = new Set(removals.map(({ key }) => key))
  const young = new Date(clock().getTime() - YOUNG_MS)
  const uploads = await Array.fromAsync(things.listUploads())
  const orphans: { upload: StorageUpload; why: string }[] = []
  for (let start = 0; start < uploads.length; start += BATCH) {
    const some = uploads.slice(start, start + BATCH)
    const statuses = await database.readStatuses(some.map(({ key }) => key))
    for (const { openedAt, ...upload } of some) {
      const status = statuses.get(upload.key)
      const isWanted = status === 'uploading' || status === 'completing'
      const isYoungStranger = status === undefined && openedAt > young
      if (isWanted || isYoungStranger || isBeingRemoved.has(upload.key)) continue
      orphans.push({ upload, why: status ?? 'no asset' })
    }
  }
  return { count: uploads.length, orphans }
}
