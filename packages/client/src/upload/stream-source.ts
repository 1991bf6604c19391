import { StowageError } from '../errors.ts'
import { onAbort } from '../on-abort.ts'
import { openBlob } from './blob-source.ts'
import { type ByteStream, openPartReader, type PartReader } from './part-reader.ts'
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
