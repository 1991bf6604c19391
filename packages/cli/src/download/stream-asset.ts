import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { type Asset, isStowageError, type NodeClient } from '@stowage/client/node'
import { sanitize } from '../text/sanitize.ts'
import { CommandFailed } from '../usage.ts'

const MAX_ATTEMPTS = 5
const PAUSE_MS = 500
const STALL_MS = 30_000
/** How long to wait until the service has compared the file with its declared SHA-256. */
const VERIFYING_MS = 30 * 60_000

/** Writes the bytes of an asset to a stream. Resumes after a broken connection. */
export async function streamAsset(
  client: NodeClient,
  { id, filename, bytes, is_file, version, checksum }: Asset,
  { output, signal }: { output: Writable; signal: AbortSignal },
): Promise<number> {
  // The file may be replaced meanwhile: the bytes of two versions must not be mixed.
  const pinned = is_file ? { version } : {}
  const hash = createHash('sha256')
  const verifiedBefore = Date.now() + VERIFYING_MS
  let written = 0
  for (let attempts = 1; ; attempts += 1) {
    const before = written
    const stalling = new AbortController()
    const either = AbortSignal.any([signal, stalling.signal])
    let timer: NodeJS.Timeout | undefined
    try {
      const range = written > 0 ? { start: written } : undefined
      const response = await client.download(id, { range, ...pinned, signal: either })
      // Not earlier: the client may have waited for the service to verify the file.
      timer = setTimeout(() => stalling.abort(new Error('the connection stalled')), STALL_MS)
      if (range !== undefined && response.status !== 206)
        throw new Error('the download cannot be resumed')
      for await (const chunk of response.body ?? []) {
        written += chunk.length
        hash.update(chunk)
        if (!output.write(chunk)) await once(output, 'drain', { signal })
        timer.refresh()
      }
      if (!is_file || written >= bytes) {
        if (checksum && hash.digest('hex') !== checksum.sha256) throw digestMismatch(filename)
        return written
      }
      throw new Error('the connection ended early')
    } catch (error) {
      if (error instanceof CommandFailed) throw error
      if (isStowageError(error, 'verifying') && Date.now() < verifiedBefore) {
        await pause(error.retryAfterMs ?? PAUSE_MS, undefined, { signal })
        attempts = 0
        continue
      }
      if (signal.aborted || (isStowageError(error) && error.status !== 0)) throw error
      if (written > before) attempts = 1
      if (!is_file || attempts >= MAX_ATTEMPTS) {
        const reason = error instanceof Error ? error.message : String(error)
        throw new CommandFailed(
          `The download of ${sanitize(filename)} failed after ${written} of ${bytes} bytes: ${reason}`,
        )
      }
      await pause(PAUSE_MS * attempts, undefined, { signal })
    } finally {
      clearTimeout(timer)
    }
  }
}

/** The bytes are already written, so the command fails: the program that reads them must not use them. */
function digestMismatch(filename: string): CommandFailed {
  return new CommandFailed(
    `The downloaded bytes of ${sanitize(filename)} do not match the SHA-256 of the asset. Do not use them. Download the file again.`,
  )
}
