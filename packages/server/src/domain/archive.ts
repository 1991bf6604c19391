import {
  descriptorLength,
  directoryEntryLength,
  endLength,
  entryLength,
  localHeaderLength,
  type ZipEntry,
} from './zip.ts'

/** One file of an archive, which never changes: its object is never overwritten. */
export interface ArchiveEntry extends ZipEntry {
  /** The object in the storage, or a text that the archive itself contains. */
  content: { key: string; chunkSize: number } | { text: string }
  /** Undefined as long as it is not known. Then the entry has a descriptor. */
  crc32: number | undefined
}

/** A ZIP archive that the service writes while a client downloads it. Its layout and its bytes never change. */
export interface Archive {
  id: string
  accountId: string
  filename: string
  bytes: number
  /** Without quotes. Another archive with the same bytes has the same one. */
  etag: string
  /** The number of files; the links are not included. */
  files: number
  links: number
}

/** A few hundred entries in a row, which are stored together. */
export interface ArchiveSegment {
  number: number
  /** The position of the first header. */
  start: number
  /** The position of the first entry in the directory. */
  directoryStart: number
  entries: number
}

/** What a range of an archive is read from. */
export interface ArchiveSource {
  /** Throws a `ServiceError` if there is no such archive, or its key was revoked. */
  open(id: string): Promise<OpenArchive>
  /** Throws a `ServiceError` if a file after this position is no longer kept, or is damaged. */
  check(archive: Pick<OpenArchive, 'id' | 'segments'>, from: number): Promise<void>
  readSegment(id: string, number: number): Promise<ArchiveEntry[]>
  /** Keeps the CRC-32 of an object for later downloads. Never rejects. */
  keepCrc32(key: string, crc32: number): Promise<void>
}

export interface OpenArchive extends Archive {
  segments: ArchiveSegment[]
}

/** A segment is stored when it has so many entries or characters. */
const SEGMENT_ENTRIES = 500
const SEGMENT_LENGTH = 128 * 1024

/** An entry as it is stored: path, size, time, CRC-32 or null, and the key and the size of its parts, or the text. */
type StoredEntry = [string, number, number, number | null, string, number?]

/** A segment with its entries as JSON. */
export interface StoredSegment extends ArchiveSegment {
  content: string
}

/** Calculates the positions of the entries, in their order. */
export function createArchiveLayout() {
  const segments: StoredSegment[] = []
  let texts: string[] = []
  let textLength = 0
  let position = 0
  let directoryLength = 0
  let first = { start: 0, directoryStart: 0 }
  let entries = 0
  let length = 0

  function endSegment(): void {
    if (texts.length === 0) return
    const number = segments.length
    segments.push({ ...first, number, entries: texts.length, content: `[${texts.join(',')}]` })
    first = { start: position, directoryStart: directoryLength }
    texts = []
    textLength = 0
  }

  return {
    /** How many characters the stored segments have so far. */
    get length() {
      return length
    },
    add(entry: ArchiveEntry): void {
      directoryLength += directoryEntryLength(entry, position)
      position += entryLength(entry)
      const text = JSON.stringify(toStored(entry))
      texts.push(text)
      textLength += text.length
      length += text.length
      entries += 1
      if (texts.length === SEGMENT_ENTRIES || textLength >= SEGMENT_LENGTH) endSegment()
    },
    finish(): { bytes: number; segments: StoredSegment[] } {
      endSegment()
      const directory = { entries, start: position, length: directoryLength }
      const bytes = position + directoryLength + endLength(directory)
      for (const segment of segments) segment.directoryStart += position
      return { bytes, segments }
    },
  }
}

function toStored({ name, size, modifiedAt, hasDescriptor, crc32, content }: ArchiveEntry) {
  const crc = hasDescriptor ? null : (crc32 ?? null)
  const stored: StoredEntry =
    'text' in content
      ? [name, size, modifiedAt, crc, content.text]
      : [name, size, modifiedAt, crc, content.key, content.chunkSize]
  return stored
}

export function readStoredSegment(content: string): ArchiveEntry[] {
  const stored: StoredEntry[] = JSON.parse(content)
  return stored.map(([name, size, modifiedAt, crc, text, chunkSize]) => ({
    name,
    size,
    modifiedAt,
    hasDescriptor: crc === null,
    crc32: crc ?? undefined,
    content: chunkSize === undefined ? { text } : { key: text, chunkSize },
  }))
}

/** The keys of the objects of a segment, without its entries: an archive may have a hundred thousand. */
export function storedKeys(content: string): string[] {
  const stored: StoredEntry[] = JSON.parse(content)
  return stored.flatMap(([, , , , text, chunkSize]) => (chunkSize === undefined ? [] : [text]))
}

/** The entries of a segment, each with the position of its header, of its bytes, and of what follows them. */
export function* positionsOf(
  entries: ArchiveEntry[],
  { start }: Pick<ArchiveSegment, 'start'>,
): Iterable<{
  entry: ArchiveEntry
  start: number
  dataStart: number
  dataEnd: number
  end: number
}> {
  let position = start
  for (const entry of entries) {
    const dataStart = position + localHeaderLength(entry)
    const dataEnd = dataStart + entry.size
    const end = dataEnd + descriptorLength(entry)
    yield { entry, start: position, dataStart, dataEnd, end }
    position = end
  }
}
