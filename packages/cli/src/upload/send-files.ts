import {
  type Asset,
  isStowageError,
  type NodeClient,
  type ProductReferences,
  type Upload,
} from '@stowage/client/node'
import type { LocalFile } from './collect-files.ts'
import type { CompletedFiles } from './completed-files.ts'
import type { UploadProgress } from './upload-progress.ts'

export interface Sending {
  client: NodeClient
  files: LocalFile[]
  attach: ProductReferences | undefined
  /** From the beginning, whatever was sent before. */
  restarts: boolean
  finished: CompletedFiles
  board: UploadProgress
  signal: AbortSignal
  onOutcome(outcome: Outcome): void
}

export type Outcome =
  | { file: LocalFile; asset: Asset; wasThere: boolean }
  | { file: LocalFile; error: unknown }

/** Enough for the client's queue to choose from; so ten thousand files are not all opened. */
const AT_ONCE = 16

/** Sends them, several at once. Returns what was begun and has not arrived. */
export async function sendFiles(sending: Sending): Promise<Upload[]> {
  const { client, board, signal, finished } = sending
  const begun: Upload[] = []

  async function send(file: LocalFile): Promise<Asset> {
    let noted: Promise<void> | undefined
    const upload = client.upload(
      { path: file.path },
      {
        name: file.name,
        signal,
        ...(sending.restarts && { resume: false }),
        ...(sending.attach && { attach: sending.attach }),
        // Noted before the client forgets it: whatever happens, it is not sent a second time.
        onProgress({ state }) {
          if (state !== 'finishing' || upload.id === undefined) return
          noted ??= finished.add(file, upload.id)
        },
      },
    )
    board.started(file, upload)
    try {
      return await upload
    } catch (error) {
      begun.push(upload)
      throw error
    } finally {
      await noted
    }
  }

  async function outcomeOf(file: LocalFile): Promise<Outcome> {
    try {
      signal.throwIfAborted()
      const there = sending.restarts ? undefined : await findThere(sending, file)
      if (there !== undefined) return { file, asset: there, wasThere: true }
      return { file, asset: await send(file), wasThere: false }
    } catch (error) {
      return { file, error }
    }
  }

  const waiting = sending.files.values()
  async function line(): Promise<void> {
    for (const file of waiting) {
      const outcome = await outcomeOf(file)
      const isStopped = !('asset' in outcome) && signal.aborted
      board.ended(file, 'asset' in outcome ? 'arrived' : isStopped ? 'stopped' : 'failed')
      board.write(() => sending.onOutcome(outcome))
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE }, line))
  return begun
}

/** What an earlier run of the same command has brought there. */
async function findThere(
  { client, finished, attach, signal }: Sending,
  file: LocalFile,
): Promise<Asset | undefined> {
  const id = await finished.find(file)
  if (id === undefined) return undefined
  try {
    const asset = await client.asset(id, { signal })
    if (asset.status !== 'ready') return undefined
    return attach === undefined ? asset : await client.attach(id, attach, { signal })
  } catch (error) {
    if (isStowageError(error, 'not_found')) return undefined
    throw error
  }
}
