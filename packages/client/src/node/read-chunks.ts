import type { Client } from '../create-client.ts'
import { StowageError } from '../errors.ts'

export interface Arrived {
  /** Where in the file. */
  at: number
  bytes: Uint8Array
}

/**
 * An asset's bytes as they come, from `start` on, or from 0 where ranges are not known. What breaks
 * or stands still on the way is a StowageError; an abort is its reason. Ends where the line ends it,
 * whether that is all or not.
 */
export function createArriving(client: Pick<Client, 'download'>, stallMs: number) {
  return async function* arriving(
    id: string,
    { start, signal }: { start: number; signal?: AbortSignal | undefined },
  ): AsyncGenerator<Arrived> {
    const stalling = new AbortController()
    const either = signal ? AbortSignal.any([signal, stalling.signal]) : stalling.signal
    const watch = () => setTimeout(() => stalling.abort(), stallMs)
    let timer = watch()
    try {
      const range = start > 0 ? { start } : undefined
      const response = await client.download(id, { range, signal: either })
      let at = response.status === 206 ? start : 0
      for await (const bytes of response.body ?? []) {
        // Whoever writes it may take longer.
        clearTimeout(timer)
        yield { at, bytes }
        at += bytes.length
        timer = watch()
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
