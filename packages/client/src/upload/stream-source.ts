import { StowageError } from '../errors.ts'
import { onAbort } from '../pause.ts'
import { openBlob } from './blob-source.ts'
import { putBody } from './put-body.ts'
import type { PutBytes, PutOptions, PutResponse, Range, Source, SourceOptions } from './source.ts'

type Bytes = Uint8Array<ArrayBuffer>

const NOTHING = new Uint8Array()

/** A little more than the smallest part that all storage accepts (5 MiB): parts stay in memory until stored. */
const CHUNK = 8 * 1024 ** 2
/** Larger if the length is unknown: an upload has at most 10,000 parts, so this allows 160 GB. */
const OPEN_CHUNK = 16_000_000
const MAX_LENGTH = 10_000 * OPEN_CHUNK
/** The first declared size. Each further one is twice as large, but at most `MAX_STEP` larger. */
const FIRST_DECLARED = 4 * OPEN_CHUNK
const MAX_STEP = 128 * OPEN_CHUNK

/**
 * Opens a stream of known length. It is read part by part, at most one part ahead of those being sent. It
 * cannot be read again, so its state is not saved.
 */
export function openStream(
  stream: ByteStream,
  { name = 'file', mime = '', size, putBytes }: SourceOptions & { size: number },
): Source {
  const reader = openPartReader(stream)
  const { fill, ...parts } = openParts({ name, putBytes }, NOTHING, async ({ start, end }) => {
    const part = await reader.read(end - start)
    const read = start + part.length
    if (read < end) throw unreadable(`${name} ended after ${read} of ${size} bytes.`)
    if (end === size && (await reader.read(1)).length > 0) {
      throw unreadable(`${name} has more than ${size} bytes.`)
    }
    return part
  })
  return streamSource(reader, { ...parts, name, mime, size, chunkSize: CHUNK })
}

/**
 * Opens a stream of unknown length, which is read and sent like one of known length. At first, a larger size
 * than was read is declared as an estimate, of which the service reserves as much as fits, and at the end the actual
 * size. If the stream ends within the first part, its length is known.
 */
export async function openStreamOfUnknownLength(
  stream: ByteStream,
  { name = 'file', mime = '', signal, putBytes }: SourceOptions,
): Promise<Source> {
  const reader = openPartReader(stream)
  const removeListener = onAbort(signal, reader.close)
  const first = await reader.read(OPEN_CHUNK).finally(removeListener)
  if (first.length < OPEN_CHUNK) return openBlob(new Blob([first]), { name, mime })

  let read = first.length
  let isAtEnd = false
  const { fill, prepare, ...parts } = openParts({ name, putBytes }, first, async () => {
    const part = await reader.read(OPEN_CHUNK)
    read += part.length
    isAtEnd = part.length < OPEN_CHUNK
    return part
  })
  const source = streamSource(reader, {
    ...parts,
    name,
    mime,
    size: FIRST_DECLARED,
    minSize: read,
    chunkSize: OPEN_CHUNK,
    prepare: (range, onReady) =>
      // The last part also waits until its actual length is declared.
      isAtEnd && read < range.end ? 'beyond' : prepare(range, onReady),
    async nextSize() {
      if (!isAtEnd && read === source.size) await fill({ start: read, end: read })
      if (isAtEnd) return read === source.size ? undefined : { size: read }
      const ahead = source.size + Math.min(source.size, MAX_STEP)
      return { size: Math.max(read, Math.min(ahead, MAX_LENGTH)), minSize: read }
    },
  })
  return source
}

/** Keeps the parts of a stream that are in memory. */
function openParts(
  { name, putBytes = putBody }: { name: string; putBytes: PutBytes | undefined },
  first: Bytes,
  read: (range: Range) => Promise<Bytes>,
) {
  /** By the position of their first byte. */
  const inMemory = new Map<number, Bytes>()
  let position = first.length
  let reading: Promise<void> | undefined
  let failure: unknown
  if (position > 0) inMemory.set(0, first)

  async function readPart(range: Range): Promise<void> {
    try {
      if (range.start !== position) {
        throw unreadable(`${name} is a stream and cannot be read again.`)
      }
      const part = await read(range)
      inMemory.set(position, part)
      position += part.length
    } catch (error) {
      failure = error ?? unreadable(`${name} cannot be read.`)
    } finally {
      reading = undefined
    }
  }

  return {
    /** Rejects with the stream's error. */
    async fill(range: Range): Promise<void> {
      reading ??= readPart(range)
      await reading
      if (failure) throw failure
    },
    prepare(range: Range, onReady: () => void): 'ready' | 'reading' | 'beyond' {
      if (failure || inMemory.has(range.start)) return 'ready'
      if (!reading) {
        reading = readPart(range)
        void reading.then(onReady)
      }
      return 'reading'
    },
    async put(url: string, { start }: Range, options: PutOptions): Promise<PutResponse> {
      if (failure) throw failure
      return putBytes(url, inMemory.get(start) as Bytes, options)
    },
    release: ({ start }: Range) => void inMemory.delete(start),
  }
}

function streamSource(
  reader: PartReader,
  own: Pick<Source, 'name' | 'mime' | 'size' | 'chunkSize' | 'put'> & Partial<Source>,
): Source {
  return {
    key: undefined,
    version: '',
    isWatched: false,
    compare: async () => 'same',
    digest: async () => '',
    close: async () => reader.close(),
    ...own,
  }
}

function unreadable(message: string): StowageError {
  return new StowageError('file_unreadable', message)
}

/** A `ReadableStream`, a stream of `node:stream`, or any other async iterable of bytes. */
export type ByteStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/** Reads a stream in pieces of a given length. */
interface PartReader {
  /** Returns the next bytes, fewer only at the end. Rejects with the stream's error. One call at a time. */
  read(length: number): Promise<Uint8Array<ArrayBuffer>>
  close(): void
}

function openPartReader(stream: ByteStream): PartReader {
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
