import { StowageError } from '../errors.ts'
import { putBlob } from './put-blob.ts'
import type { Range, Source, SourceOptions } from './source.ts'

export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/** The shortest that every service takes, rounded up: each part is in memory until it has arrived. */
const CHUNK = 8 * 1024 ** 2

/**
 * A stream of known length. It is read part by part, at most one ahead of those being sent, and cannot
 * be read again: so it is not remembered between attempts.
 */
export function openStream(
  stream: ByteStream,
  { name = 'file', mime = '', size }: SourceOptions & { size: number },
): Source {
  const reader = readerOf(stream)
  /** By their first byte. */
  const parts = new Map<number, Blob>()
  let rest = new Uint8Array()
  let read = 0
  let isReading = false
  let failure: unknown

  async function next(): Promise<Uint8Array | undefined> {
    const { done, value } = await reader.next()
    if (done) return undefined
    if (value instanceof Uint8Array) return value
    throw new TypeError(
      `Cannot upload a stream of ${typeof value}s. Its chunks must be Uint8Arrays.`,
    )
  }

  async function fill({ start, end }: Range): Promise<void> {
    if (start < read) throw unreadable(`${name} is a stream, and cannot be read a second time.`)
    const chunks: Uint8Array[] = [rest]
    let length = rest.length
    while (length < end - start) {
      const chunk = await next()
      if (!chunk) throw unreadable(`${name} ended after ${start + length} of ${size} bytes.`)
      chunks.push(chunk)
      length += chunk.length
    }
    const whole = new Blob(chunks as Uint8Array<ArrayBuffer>[])
    rest = new Uint8Array(await whole.slice(end - start).arrayBuffer())
    parts.set(start, whole.slice(0, end - start))
    read = end
    if (end < size) return
    for (let more: Uint8Array | undefined = rest; more; more = await next()) {
      if (more.length > 0) throw unreadable(`${name} has more than ${size} bytes.`)
    }
  }

  return {
    name,
    mime,
    size,
    chunkSize: CHUNK,
    key: undefined,
    version: '',
    isWatched: false,
    compare: async () => 'same',
    digest: async () => '',
    isReady(range, onReady) {
      if (failure || parts.has(range.start)) return true
      if (isReading) return false
      isReading = true
      fill(range)
        .catch((error) => {
          failure = error ?? unreadable(`${name} cannot be read.`)
        })
        .finally(() => {
          isReading = false
          onReady()
        })
      return false
    },
    async put(url, { start }, options) {
      if (failure) throw failure
      return putBlob(url, parts.get(start) as Blob, options)
    },
    release: ({ start }) => parts.delete(start),
    async close() {
      // Not awaited: a generator ends only after it has yielded once more.
      void Promise.resolve(reader.return?.()).catch(() => {})
    },
  }
}

interface Reader {
  next(): Promise<{ done?: boolean | undefined; value?: unknown }>
  return?(): unknown
}

/** Not every browser can iterate over a stream. */
function readerOf(stream: ByteStream): Reader {
  if ('getReader' in stream) {
    const reader = stream.getReader()
    return { next: () => reader.read(), return: () => reader.cancel() }
  }
  const { destroy } = stream as { destroy?(): void }
  const iterator = stream[Symbol.asyncIterator]()
  // A stream of Node is destroyed also while it gives nothing.
  return destroy ? { next: () => iterator.next(), return: destroy.bind(stream) } : iterator
}

function unreadable(message: string): StowageError {
  return new StowageError('file_unreadable', message)
}
