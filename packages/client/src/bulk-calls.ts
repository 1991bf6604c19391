import type { BulkJob, BulkJobRequest, BulkRequest, BulkResponse } from '@stowage/protocol'
import type { CallSettings } from './options.ts'
import { pause } from './pause.ts'
import type { Call, Request } from './request.ts'

/** Settings of a change of all matches. */
export interface BulkSettings extends CallSettings {
  /** Is called with the number of assets that are done, after each change of it. */
  onProgress?: ((job: BulkJob) => void) | undefined
}

/** Changes of many assets. */
export interface BulkCalls {
  /**
   * Deletes, restores, attaches, detaches, tags, untags or moves up to 1,000 assets: either all of them or none. With
   * `permanent`, a deletion removes the assets immediately, even if they are in the trash.
   */
  bulk(request: BulkRequest, settings?: CallSettings): Promise<BulkResponse['data']>
  /**
   * Changes all assets that match `filter`, and waits until all of them are done. `expected` is the number that the user has
   * seen: if another number matches now, the call throws `selection_changed` and changes nothing. The call is retried only
   * if the service reports that it did nothing (429, 503). An aborted call stops waiting, and the service continues: see
   * `bulkJobs` and `cancelBulk`.
   */
  bulk(request: BulkJobRequest, settings?: BulkSettings): Promise<BulkJob>
  /** Returns the progress of a change of all matches. Ended changes are kept for 7 days. */
  bulkJob(id: string, settings?: CallSettings): Promise<BulkJob>
  /** Returns the running changes of all matches, and the last ended ones, newest first. */
  bulkJobs(settings?: CallSettings): Promise<BulkJob[]>
  /** Cancels a change of all matches. Assets that are changed stay changed. */
  cancelBulk(id: string, settings?: CallSettings): Promise<BulkJob>
  /**
   * Undoes what an ended change of all matches has changed, and waits until that is done. An aborted call stops waiting, and
   * the service continues.
   */
  undoBulk(id: string, settings?: BulkSettings): Promise<BulkJob>
}

/** The pauses between two calls that ask for the progress of a bulk change. */
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 1_000

export function createBulkCalls({ data }: Request): BulkCalls {
  async function finish(
    path: string,
    { onProgress, ...settings }: BulkSettings = {},
    call: Call = {},
  ): Promise<BulkJob> {
    const start = { ...settings, ...call, method: 'POST', isRepeatable: path !== '/bulk' }
    let job = await data<BulkJob>(path, start)
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      onProgress?.(job)
      if (job.status !== 'running') return job
      await pause(pauseMs, settings.signal)
      job = await data<BulkJob>('/bulk/:id', { ...settings, id: job.id })
    }
  }

  return {
    bulk: ((body: BulkRequest | BulkJobRequest, settings?: BulkSettings) =>
      'filter' in body
        ? finish('/bulk', settings, { body })
        : data('/assets/bulk', { ...settings, method: 'POST', body })) as BulkCalls['bulk'],
    undoBulk: (id, settings) => finish('/bulk/:id/undo', settings, { id }),
    bulkJob: (id, settings) => data<BulkJob>('/bulk/:id', { ...settings, id }),
    bulkJobs: (settings) => data<BulkJob[]>('/bulk', settings),
    cancelBulk: (id, settings) =>
      data<BulkJob>('/bulk/:id/cancel', { ...settings, id, method: 'POST' }),
  }
}
