import { createClient, type Upload } from '@stowage/client/node'
import { Interrupted } from '../interrupt.ts'
import { percentOf } from '../text/progress-line.ts'
import type { UploadPlan } from './check-upload.ts'
import type { LocalFile } from './collect-files.ts'
import { sendFile } from './send-file.ts'
import { openUploadProgress } from './upload-progress.ts'
import { writeOutcome } from './write-outcome.ts'

export interface UploadResult {
  /** Files that are stored now, including the skipped ones. */
  completed: number
  /** Files that an earlier command uploaded. */
  skipped: LocalFile[]
  failed: number
  /** Uploads that were started and can be resumed or discarded. */
  unfinished: Upload[]
  percent: number
}

/** Enough for the client's queue to choose from, without opening thousands of files. */
const CONCURRENCY = 16

/** Sends the files, several at a time, and writes the outcome of each as soon as it is known. */
export async function sendFiles(plan: UploadPlan, signal: AbortSignal): Promise<UploadResult> {
  const { completed, connection, files, request } = plan
  // Forgets earlier uploads of these files: then the same command without --again resumes this upload.
  if (request.again) await completed.forget(files)
  // With the client's default retry policy: a long network outage must not fail an upload.
  const client = createClient({ baseUrl: connection.url, apiKey: connection.key })
  const progress = openUploadProgress(files, request)
  const result: UploadResult = { completed: 0, skipped: [], failed: 0, unfinished: [], percent: 0 }

  const queue = files.values()
  async function work(): Promise<void> {
    for (const file of queue) {
      const onStart = (upload: Upload) => progress.start(file, upload)
      const outcome = await sendFile(plan, file, { client, signal, onStart })
      if ('asset' in outcome) {
        result.completed += 1
        if (outcome.isSkipped) result.skipped.push(file)
        progress.end(file, 'completed')
      } else {
        if (outcome.upload !== undefined) result.unfinished.push(outcome.upload)
        if (!(outcome.error instanceof Interrupted)) result.failed += 1
        progress.end(file, signal.aborted ? 'stopped' : 'failed')
      }
      progress.write(() => writeOutcome(outcome, plan))
    }
  }

  try {
    await Promise.all(Array.from({ length: CONCURRENCY }, work))
  } finally {
    progress.close()
  }
  await completed.prune()
  const { bytes, total } = progress.summary()
  return { ...result, percent: percentOf(bytes, total) }
}
