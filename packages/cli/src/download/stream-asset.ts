import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { type Asset, isStowageError, type NodeClient } from '@stowage/client/node'
import { sanitize } from '../text/sanitize.ts'
import { CommandFailed } from '../usage.ts'

const MOST_TRIES = 5
const PAUSE_MS = 500
const STALL_MS = 30_000

/** Writes an asset's bytes; a connection that breaks is gone on with where it broke. */
export async function streamAsset(
  client: NodeClient,
  { id, filename, bytes, is_file }: Asset,
  { output, signal }: { output: Writable; signal: AbortSignal },
): Promise<number> {
  let written = 0
  for (let tries = 1; ; tries += 1) {
    const before = written
    const stalling = new AbortController()
    const either = AbortSignal.any([signal, stalling.signal])
    const timer = setTimeout(() => stalling.abort(new Error('it stands still')), STALL_MS)
    try {
      const range = written > 0 ? { start: written } : undefined
      const response = await client.download(id, { range, signal: either })
      if (range !== undefined && response.status !== 206)
        throw new Error('it can’t be gone on with')
      for await (const chunk of response.body ?? []) {
        written += chunk.length
        if (!output.write(chunk)) await once(output, 'drain', { signal })
        timer.refresh()
      }
      if (!is_file || written >= bytes) return written
      throw new Error('the connection ended too early')
    } catch (error) {
      if (signal.aborted || (isStowageError(error) && error.status !== 0)) throw error
      if (written > before) tries = 1
      if (!is_file || tries >= MOST_TRIES) {
        const reason = error instanceof Error ? error.message : String(error)
        throw new CommandFailed(
          `${sanitize(filename)} broke off after ${written} of ${bytes} bytes: ${reason}`,
        )
      }
      await pause(PAUSE_MS * tries, undefined, { signal })
    } finally {
      clearTimeout(timer)
    }
  }
}
