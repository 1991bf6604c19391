import type { Context } from '../operations/context.ts'
import type { Job } from './job.ts'
import { createPace } from './pace.ts'
import { type ClaimNext, claimFrom, dueObjects, verifyObjects } from './verify-objects.ts'

/**
 * The sizes of the files that each of the comparing jobs reads. A job without such files helps with smaller ones, never
 * with larger ones. So large files do not delay small ones, nor do many small ones delay a large one.
 */
const COMPARED_BYTES = [
  { minBytes: 0, maxBytes: 10e6 },
  { minBytes: 10e6 + 1, maxBytes: 200e6 },
  { minBytes: 200e6 + 1, maxBytes: 2e9 },
  { minBytes: 2e9 + 1, maxBytes: Number.MAX_SAFE_INTEGER },
]
/** More than one, because a large file must not delay all others. */
const COMPUTING_JOBS = 2

/** Not lower while files are transferred, because downloads wait for the comparison. */
const COMPARING_RATES = { idle: 400e6, busy: 400e6 }
const COMPUTING_RATES = { idle: 400e6, busy: 32e6 }

/**
 * The jobs that read files whose upload was just completed. `compare` reads files that are withheld from downloads until
 * they have their declared SHA-256. `compute` reads the others, slowly while files are transferred or compared. Each job
 * needs a loop of its own: it may read one file for minutes.
 */
export function createChecksumJobs({ storage }: Context): { compare: Job[]; compute: Job[] } {
  const comparingPace = createPace(COMPARING_RATES, () => false)
  let comparing = 0
  const computingPace = createPace(COMPUTING_RATES, () => comparing > 0 || storage.isBusy())

  const compareSizes =
    (sizes: { minBytes: number; maxBytes: number }): Job =>
    async (context, signal) => {
      const { database, settings } = context
      // The accounts take turns, so that many files of one account do not delay those of the others.
      let after: string | undefined
      const claimNext: ClaimNext = async (times) => {
        let object = await database.claimWithheld(times, { after, ...sizes })
        if (object === undefined && sizes.minBytes > 0) {
          object = await database.claimWithheld(times, { after, ...sizes, minBytes: 0 })
        }
        after = object?.accountId
        return object
      }
      if (!settings.checksums) {
        // Checksums were disabled before the files were compared. They stay downloadable when they are enabled again.
        for await (const { key } of dueObjects(context, signal, claimNext)) {
          await database.releaseWithheld(key, settings)
        }
        return
      }
      comparing += 1
      try {
        await verifyObjects(context, signal, { claimNext, pace: comparingPace, retriesSoon: true })
      } finally {
        comparing -= 1
      }
    }

  const compute: Job = async (context, signal) => {
    if (!context.settings.checksums) return
    const claimNext = claimFrom(context.database, 'new')
    await verifyObjects(context, signal, { claimNext, pace: computingPace, retriesSoon: true })
  }

  return {
    compare: COMPARED_BYTES.map(compareSizes),
    compute: Array.from({ length: COMPUTING_JOBS }, () => compute),
  }
}
