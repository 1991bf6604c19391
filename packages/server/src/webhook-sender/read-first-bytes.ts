import type { Readable } from 'node:stream'

/**
 * Reads at most `limit` bytes as text, and leaves the rest unread. Returns what has arrived when the stream fails or
 * the signal is aborted. Characters that PostgreSQL cannot store are replaced.
 */
export async function readFirstBytes(
  stream: Readable,
  limit: number,
  signal: AbortSignal,
): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk.subarray(0, limit - length))
    length += chunk.length
    if (length >= limit) resolve()
  })
  for (const event of ['end', 'error', 'close']) stream.on(event, () => resolve())
  signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
  stream.destroy()
  const bytes = Buffer.concat(chunks).subarray(0, limit)
  return new TextDecoder().decode(bytes).replaceAll('\0', '\ufffd')
}
