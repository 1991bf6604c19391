import type { Finding } from '../domain/finding.ts'
import { isUploadInUse } from '../domain/upload-in-use.ts'
import { inBatches } from '../iterables/in-batches.ts'
import type { StorageUpload } from '../storage/storage.ts'
import { type DoctorContext, keysBeingRemoved } from './doctor-context.ts'

const BATCH = 1000
/** As long as the job leaves those alone that have no asset: they may be of a move that runs. */
const STRANGER_MS = 24 * 3_600_000

interface Orphan {
  upload: StorageUpload
  why: string
}

/** Open uploads in the storage that nobody can finish: their asset has ended, or there is none. */
export async function* reconcileUploads(context: DoctorContext): AsyncIterable<Finding> {
  const { contents, repair } = context
  const { count, orphans, strangers } = await findOrphans(context)
  const describe = ({ upload, why }: Orphan) => `${contents.describeObject(upload.key)} (${why})`
  if (strangers.length > 0) {
    const says = `uploads open in the storage that have no asset: ${strangers.length}; a move that runs may have begun them, so they are left alone for a day`
    yield { about: 'uploads', verdict: 'note', says, items: strangers.map(describe) }
  }
  if (orphans.length > 0) {
    if (repair) for (const { upload } of orphans) await contents.abortUpload(upload)
    const items = orphans.map(describe)
    const says = `uploads open in the storage that nobody can finish: ${orphans.length}`
    yield repair
      ? { about: 'uploads', verdict: 'mended', says: `${says}; removed with their parts`, items }
      : { about: 'uploads', verdict: 'wrong', says, items, remedy: 'stowage doctor --repair' }
  }
  if (orphans.length + strangers.length > 0) return
  const says = `open in the storage: ${count}, each of an asset that waits for it`
  yield { about: 'uploads', verdict: 'well', says }
}

async function findOrphans({ database, contents, signedForMs }: DoctorContext) {
  const now = await database.readClock()
  const old = new Date(now.getTime() - signedForMs - STRANGER_MS)
  const orphans: Orphan[] = []
  const strangers: Orphan[] = []
  let count = 0
  for await (const some of inBatches(contents.listUploads(), BATCH)) {
    count += some.length
    // In this order, and the storage last: what ended meanwhile is no finding.
    const states = await database.readStates(some.map(({ key }) => key))
    const isBeingRemoved = await keysBeingRemoved(database)
    for (const { openedAt, ...upload } of some) {
      const state = states.get(upload.key)
      const isInUse = state ? isUploadInUse(state, upload.id) : await hasObject(contents, upload)
      if (isInUse || isBeingRemoved.has(upload.key)) continue
      if ((await contents.listParts(upload)) === undefined) continue
      const orphan = { upload, why: state?.status ?? 'no asset' }
      if (state === undefined && openedAt > old) strangers.push(orphan)
      else orphans.push(orphan)
    }
  }
  return { count, orphans, strangers }
}

/** An object without any row may be all that is left of a file, and is kept. */
async function hasObject(
  contents: DoctorContext['contents'],
  { key }: StorageUpload,
): Promise<boolean> {
  return (await contents.findObject(key)) !== undefined
}
