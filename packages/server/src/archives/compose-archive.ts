import { crc32 } from 'node:zlib'
import {
  type ArchiveEntry,
  type ArchiveSource,
  type OpenArchive,
  positionsOf,
} from '../domain/archive.ts'
import {
  combineCrc32,
  descriptor,
  directoryEntry,
  directoryEntryLength,
  endRecords,
  localHeader,
} from '../domain/zip.ts'
import type { ByteRange } from '../node-http/byte-ranges.ts'
import type { Chunk } from '../node-http/send-chunks.ts'

/** An object, as the manifest of an archive names it. */
export interface ArchivedObject {
  key: string
  size: number
  chunkSize: number
}

/** Reads a range of an object. Throws `DamagedObject` if bytes are missing or have changed. */
export type ReadObject = (object: ArchivedObject, range: ByteRange) => AsyncGenerator<Chunk>

/** Bytes are collected until there are so many: the headers of small files are sent together with their bytes. */
const COLLECTED_BYTES = 64 * 1024
/** Smaller chunks are copied. */
const SMALL_CHUNK = 16 * 1024
/** Files up to this size are read ahead, so many at a time. */
const SMALL_FILE = 64 * 1024
const READ_AHEAD = 16
/** So many CRC-32s are stored at the same time. The database may be slower than the storage. */
const MAX_KEEPING = 64

/** The bytes of a range of the archive: the same in every response, whatever range it has. */
export async function* composeArchive(
  archive: OpenArchive,
  range: ByteRange,
  { source, readObject }: { source: ArchiveSource; readObject: ReadObject },
): AsyncGenerator<Chunk> {
  const collector = createCollector()
  // Those that this response has computed. The source keeps them for other responses, but may be slower.
  const computed = new Map<string, number>()
  const keeping = new Set<Promise<void>>()

  async function keep(key: string, crc: number): Promise<void> {
    computed.set(key, crc)
    const kept = source.keepCrc32(key, crc).finally(() => keeping.delete(kept))
    keeping.add(kept)
    if (keeping.size === MAX_KEEPING) await Promise.race(keeping)
  }
  const crcOf = async (entry: ArchiveEntry): Promise<number> => {
    const { crc32: known, content, size } = entry
    if (known !== undefined || 'text' in content) return known ?? 0
    const earlier = computed.get(content.key)
    if (earlier !== undefined) return earlier
    const crc = await readCrc(readObject({ ...content, size }, { start: 0, end: size }))
    await keep(content.key, crc)
    return crc
  }
  const add = (bytes: Buffer, start: number) => collector.add(cut(bytes, start, range))

  const directoryStart = archive.segments[0]?.directoryStart ?? 0
  for (const [index, segment] of archive.segments.entries()) {
    const end = archive.segments[index + 1]?.start ?? directoryStart
    if (end <= range.start || segment.start >= range.end) continue
    const entries = [...positionsOf(await source.readSegment(archive.id, segment.number), segment)]
    const wanted = entries.filter(({ start, end }) => end > range.start && start < range.end)
    const ahead = readAhead(wanted, range, readObject)
    for (const [at, { entry, start, dataStart, dataEnd }] of wanted.entries()) {
      add(localHeader(entry, entry.crc32 ?? 0), start)
      const part = {
        start: Math.max(range.start - dataStart, 0),
        end: Math.min(range.end - dataStart, entry.size),
      }
      if (part.start < part.end) {
        const small = ahead(at)
        const chunks = small ? readCollected(await small) : readPart(entry, part)
        for await (const chunk of chunks) yield* collector.addChunk(chunk)
      }
      if (entry.hasDescriptor && range.end > dataEnd) {
        add(descriptor(entry, await crcOf(entry)), dataEnd)
      }
      yield* collector.flushIfFull()
    }
  }
  for (const [index, segment] of archive.segments.entries()) {
    const next = archive.segments[index + 1]?.directoryStart ?? archive.bytes
    if (next <= range.start || segment.directoryStart >= range.end) continue
    let position = segment.directoryStart
    const entries = await source.readSegment(archive.id, segment.number)
    for (const { entry, start } of positionsOf(entries, segment)) {
      const end = position + directoryEntryLength(entry, start)
      if (end > range.start && position < range.end) {
        add(directoryEntry(entry, await crcOf(entry), start), position)
      }
      position = end
      yield* collector.flushIfFull()
    }
    if (index === archive.segments.length - 1) {
      const count = archive.segments.reduce((sum, { entries }) => sum + entries, 0)
      const length = position - directoryStart
      add(endRecords({ entries: count, start: directoryStart, length }), position)
    }
  }
  yield* collector.flush()

  /** Computes the CRC-32 on the way if it is not known: the part of the file before the range is read meanwhile. */
  async function* readPart(entry: ArchiveEntry, part: ByteRange): AsyncGenerator<Chunk> {
    const { content, size } = entry
    if ('text' in content) {
      yield { bytes: Buffer.from(content.text).subarray(part.start, part.end) }
      return
    }
    const object = { ...content, size }
    const isNeeded = entry.crc32 === undefined && part.end === size && !computed.has(content.key)
    if (!isNeeded) return yield* readObject(object, part)
    const before = { start: 0, end: part.start }
    const skipped = part.start === 0 ? Promise.resolve(0) : readCrc(readObject(object, before))
    // It is awaited later, or not at all if the other read fails.
    skipped.catch(() => {})
    let crc = 0
    for await (const chunk of readObject(object, part)) {
      crc = crc32(chunk.bytes, crc)
      yield chunk
    }
    await keep(content.key, combineCrc32(await skipped, crc, part.end - part.start))
  }
}

async function readCrc(chunks: AsyncGenerator<Chunk>): Promise<number> {
  let crc = 0
  for await (const { bytes, verify, release } of chunks) {
    verify?.()
    crc = crc32(bytes, crc)
    release?.()
  }
  return crc
}

/**
 * Reads the small files that follow, several at a time: on object storage, each takes a request. Returns the bytes of a
 * file that is wanted as a whole and needs no CRC-32; undefined for all others.
 */
function readAhead(
  wanted: { entry: ArchiveEntry; dataStart: number; dataEnd: number }[],
  range: ByteRange,
  readObject: ReadObject,
): (index: number) => Promise<Buffer> | undefined {
  const reads = new Map<number, Promise<Buffer>>()
  let next = 0
  return (index) => {
    for (; next < wanted.length && next < index + READ_AHEAD; next += 1) {
      const { entry, dataStart, dataEnd } = wanted[next] as (typeof wanted)[0]
      const { content, size, crc32: crc } = entry
      if ('text' in content || size === 0 || size > SMALL_FILE || crc === undefined) continue
      if (dataStart < range.start || dataEnd > range.end) continue
      const read = readWhole(readObject({ ...content, size }, { start: 0, end: size }))
      read.catch(() => {})
      reads.set(next, read)
    }
    const read = reads.get(index)
    reads.delete(index)
    return read
  }
}

async function readWhole(chunks: AsyncGenerator<Chunk>): Promise<Buffer> {
  const copies: Buffer[] = []
  for await (const { bytes, verify, release } of chunks) {
    verify?.()
    copies.push(Buffer.from(bytes))
    release?.()
  }
  return Buffer.concat(copies)
}

function* readCollected(bytes: Buffer): Generator<Chunk> {
  yield { bytes }
}

/** The part of the bytes that is in the range. `start` is their position. */
function cut(bytes: Buffer, start: number, range: ByteRange): Buffer {
  return bytes.subarray(Math.max(range.start - start, 0), Math.max(range.end - start, 0))
}

/** Joins small pieces, because sending each of them would cost more than copying it. */
function createCollector() {
  let collected: Buffer[] = []
  let length = 0

  function add(bytes: Buffer): void {
    if (bytes.length === 0) return
    collected.push(bytes)
    length += bytes.length
  }

  function* flush(): Generator<Chunk> {
    if (length === 0) return
    const bytes = Buffer.concat(collected)
    collected = []
    length = 0
    yield { bytes }
  }

  return {
    add,
    flush,
    *flushIfFull(): Generator<Chunk> {
      if (length >= COLLECTED_BYTES) yield* flush()
    },
    *addChunk(chunk: Chunk): Generator<Chunk> {
      if (chunk.bytes.length > SMALL_CHUNK) {
        yield* flush()
        yield chunk
        return
      }
      chunk.verify?.()
      add(Buffer.from(chunk.bytes))
      chunk.release?.()
      if (length >= COLLECTED_BYTES) yield* flush()
    },
  }
}
