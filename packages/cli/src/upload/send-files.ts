import {
  type Asset,
  createClient,
  isStowageError,
  type NodeClient,
  type Upload,
} from '@stowage/client/node'
import { fullName } from '../assets.ts'
import { type Connection, explain } from '../connection.ts'
import { Interrupted } from '../interrupt.ts'
import { writeItem, writeMessage } from '../output.ts'
import { percentOf } from '../terminal/progress-line.ts'
import { sanitize } from '../terminal/sanitize.ts'
import type { UploadPlan } from './check-upload.ts'
import type { LocalFile } from './files.ts'
import { openUploadProgress } from './upload-progress.ts'

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

export interface SendOptions {
  client: NodeClient
  signal: AbortSignal
  /** Called before the first byte is sent. */
  onStart(upload: Upload): void
}

type Outcome =
  | { file: LocalFile; asset: Asset; isSkipped: boolean }
  | { file: LocalFile; error: unknown; upload: Upload | undefined }

/** Uploads a file, unless an earlier command did and its asset still exists. Never throws. */
async function sendFile(
  plan: UploadPlan,
  file: LocalFile,
  { client, signal, onStart }: SendOptions,
): Promise<Outcome> {
  const { completed, products, request } = plan
  let upload: Upload | undefined
  let recorded: Promise<void> | undefined
  try {
    signal.throwIfAborted()
    const earlier = request.again ? undefined : await findEarlier(plan, file, { client, signal })
    if (earlier !== undefined) return { file, asset: earlier, isSkipped: true }
    const started = client.upload(
      { path: file.path },
      {
        name: file.name,
        // Without a folder, an upload that is resumed keeps the path that it was started with.
        ...(file.folder !== undefined && { path: file.folder }),
        sha256: true,
        signal,
        ...(request.restart && { resume: false }),
        ...(products && { attach: products }),
        // Recorded before the client deletes its own record: after a crash, the file is not sent twice.
        onProgress({ state }) {
          if (state !== 'finishing' || started.id === undefined) return
          recorded ??= completed.add(file, started.id)
        },
      },
    )
    upload = started
    onStart(started)
    return { file, asset: await started, isSkipped: false }
  } catch (error) {
    return { file, error, upload }
  } finally {
    await recorded
  }
}

/**
 * Finds the asset that an earlier command created from this file, and attaches the products to it. Another account's
 * asset is not found.
 */
async function findEarlier(
  { completed, products }: UploadPlan,
  file: LocalFile,
  { client, signal }: Pick<SendOptions, 'client' | 'signal'>,
): Promise<Asset | undefined> {
  const id = await completed.find(file)
  if (id === undefined) return undefined
  try {
    const asset = await client.asset(id, { signal })
    if (asset.status !== 'ready') return undefined
    return products === undefined ? asset : await client.attach(id, products, { signal })
  } catch (error) {
    if (isStowageError(error, 'not_found')) return undefined
    throw error
  }
}

/** Writes the asset to standard output, or the error to standard error. */
function writeOutcome(outcome: Outcome, { connection, request }: UploadPlan): void {
  const { json } = request
  const file = outcome.file.label
  if ('asset' in outcome) {
    const { asset } = outcome
    const text = sanitize(`${asset.id}  ${asset.size.padStart(8)}  ${fullName(asset)}`)
    writeItem(outcome.isSkipped ? { file, asset, skipped: true } : { file, asset }, { json, text })
    return
  }
  const error = describeError(outcome.error, connection)
  if (error.code !== 'interrupted') writeMessage(`stowage: ${sanitize(file)}: ${error.message}`)
  if (json) writeItem({ file, error }, { json, text: '' })
}

function describeError(error: unknown, connection: Connection): { code: string; message: string } {
  if (error instanceof Interrupted) return { code: 'interrupted', message: 'Interrupted.' }
  if (!isStowageError(error)) {
    const message = error instanceof Error ? error.message : String(error)
    return { code: 'failed', message: sanitize(message) }
  }
  const { code } = error
  if (code === 'file_changed') {
    const message = 'The file changed while it was sent. Run the same command again to send it.'
    return { code, message }
  }
  return { code, message: explain(error, connection) }
}
