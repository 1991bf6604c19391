import type { Client } from '../client.ts'
import { StowageError } from '../errors.ts'

export interface Chunk {
  /** Its position in the file. */
  at: number
  bytes: Uint8Array
}

interface ReadOptions {
  start: number
  /** Undefined: the current version, which may change between two calls. */
  version: number | undefined
  signal?: AbortSignal | undefined
}

/**
 * Reads the bytes of an asset from `start` on, or from 0 if the server ignores ranges. Rejects with a
 * StowageError if the connection breaks or stalls, and with the reason of an abort. Ends when the
 * connection ends, even if bytes are missing.
 */
export function createChunkReader(client: Pick<Client, 'download'>, stallMs: number) {
  return async function* readChunks(
    id: string,
    { start, version, signal }: ReadOptions,
  ): AsyncGenerator<Chunk> {
    const stalling = new AbortController()
    const either = signal ? AbortSignal.any([signal, stalling.signal]) : stalling.signal
    const startTimer = () => setTimeout(() => stalling.abort(), stallMs)
    let timer = startTimer()
    try {
      const range = start > 0 ? { start } : undefined
      const response = await client.download(id, { range, version, signal: either })
      let at = response.status === 206 ? start : 0
      for await (const bytes of response.body ?? []) {
        // The time that the consumer takes to write the chunk does not count.
        clearTimeout(timer)
        yield { at, bytes }
        at += bytes.length
        timer = startTimer()
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (error instanceof StowageError) throw error
      throw new StowageError('network', 'The connection broke.', { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }
}
