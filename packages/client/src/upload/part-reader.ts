/** A `ReadableStream`, a stream of `node:stream`, or any other async iterable of bytes. */
export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/** Reads a stream in pieces of a given length. */
export interface PartReader {
  /** Returns the next bytes, fewer only at the end. Rejects with the stream's error. One call at a time. */
  read(length: number): Promise<Uint8Array<ArrayBuffer>>
  close(): void
}

export function openPartReader(stream: ByteStream): PartReader {
  const reader = readerOf(stream)
  let rest = new Uint8Array()

  async function next(): Promise<Uint8Array | undefined> {
    const { done, value } = await reader.next()
    if (done) return undefined
    if (value instanceof Uint8Array) return value
    throw new TypeError(
      `Cannot upload a stream of ${typeof value}s. Its chunks must be Uint8Arrays.`,
    )
  }

  return {
    async read(length) {
      const bytes = new Uint8Array(length)
      let filled = 0
      while (filled < length) {
        if (rest.length === 0) {
          const chunk = await next()
          if (!chunk) break
          rest = chunk as Uint8Array<ArrayBuffer>
        }
        // Copied immediately: many streams reuse the memory of a chunk for the next one.
        const some = rest.subarray(0, length - filled)
        bytes.set(some, filled)
        filled += some.length
        rest = rest.subarray(some.length)
      }
      return bytes.subarray(0, filled)
    },
    close() {
      // Not awaited: a generator ends only after its next yield.
      void Promise.resolve(reader.return?.()).catch(() => {})
    },
  }
}

interface Reader {
  next(): Promise<{ done?: boolean | undefined; value?: unknown }>
  return?(): unknown
}

/** Some browsers cannot iterate over a stream. */
function readerOf(stream: ByteStream): Reader {
  if ('getReader' in stream) {
    const reader = stream.getReader()
    return { next: () => reader.read(), return: () => reader.cancel() }
  }
  const { destroy } = stream as { destroy?(): void }
  const iterator = stream[Symbol.asyncIterator]()
  // A Node stream can be destroyed even while a read is pending.
  return destroy ? { next: () => iterator.next(), return: destroy.bind(stream) } : iterator
}
