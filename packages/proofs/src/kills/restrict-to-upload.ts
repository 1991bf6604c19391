import type { Upload } from '@stowage/server/src/domain/asset'
import type { Context } from '@stowage/server/src/operations/context'
import type { Harness } from '../interleavings/harness.ts'

/** Larger than a job's batch, because the upload may come after many others. */
const ALL = 10_000

/**
 * The same harness, but its jobs process only this upload, with two exceptions: the jobs that expire and complete
 * uploads also process its replacement, and `forgetEndedAssets`, `emptyTrash` and `continueDeletions` process all
 * assets.
 */
export function restrictToUpload(harness: Harness, id: () => string): Harness {
  const { context } = harness
  const { database, storage } = context
  const own = ({ asset, replaces }: Upload) => [asset.id, replaces?.assetId].includes(id())
  const narrow: Context = {
    ...context,
    database: {
      ...database,
      listOverdueUploads: async () => (await database.listOverdueUploads(ALL)).filter(own),
      claimStuckCompletions: async (times) =>
        (await database.claimStuckCompletions(times, ALL)).filter(own),
      claimDueRemovals: async (now) =>
        (await database.claimDueRemovals(now, ALL)).filter(({ key }) => key === id()),
      claimVerifications: async (queue, times) =>
        (await database.claimVerifications(queue, times, ALL)).filter(({ key }) => key === id()),
      claimWithheld: async (times, options) => {
        for (;;) {
          const object = await database.claimWithheld(times, options)
          if (object === undefined || object.key === id()) return object
        }
      },
    },
    storage: {
      ...storage,
      async *listUploads() {
        for await (const upload of storage.listUploads()) if (upload.key === id()) yield upload
      },
    },
  }
  return {
    ...harness,
    context: narrow,
    runWithPoints: (onPoint, work) => harness.runWithPoints(onPoint, work, narrow),
  }
}
