/*
 * The format of ZIP archives whose files are stored without compression, with ZIP64 where it is needed:
 * https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT. All lengths are known before any file is read.
 */

/** One file in an archive. */
export interface ZipEntry {
  /** The path in the archive, with `/`. */
  name: string
  size: number
  /** In seconds since 1970. */
  modifiedAt: number
  /**
   * The CRC-32 of the file follows it in a data descriptor, because it was not known when the layout was fixed. Otherwise,
   * it is in the header.
   */
  hasDescriptor: boolean
}

/** In a field of 32 or 16 bits, the largest value means: see the ZIP64 field. */
const MAX_32 = 0xffff_ffff
const MAX_16 = 0xffff

const VERSION_PLAIN = 20
const VERSION_ZIP64 = 45
const MADE_BY_UNIX = 3 << 8
/** A regular file that its owner may write, and all may read. */
const UNIX_MODE = 0o100644 * 0x1_0000
const FLAG_UTF8 = 0x0800
const FLAG_DESCRIPTOR = 0x0008

const ZIP64_FIELD = 0x0001
const TIME_FIELD = 0x5455
const TIME_LENGTH = 9
/** The sizes of a local header. */
const LOCAL_ZIP64_LENGTH = 20
const MAX_TIME = 0x7fff_ffff

export function isLarge({ size }: Pick<ZipEntry, 'size'>): boolean {
  return size >= MAX_32
}

/** The length of the header before the bytes of the file. */
export function localHeaderLength(entry: ZipEntry): number {
  return (
    30 + Buffer.byteLength(entry.name) + TIME_LENGTH + (isLarge(entry) ? LOCAL_ZIP64_LENGTH : 0)
  )
}

/** The length of what follows the bytes of the file. */
export function descriptorLength(entry: ZipEntry): number {
  if (!entry.hasDescriptor) return 0
  return isLarge(entry) ? 24 : 16
}

/** The length of the header, the bytes and the descriptor of a file. */
export function entryLength(entry: ZipEntry): number {
  return localHeaderLength(entry) + entry.size + descriptorLength(entry)
}

/** The length of the entry in the directory at the end. `offset` is the position of the local header. */
export function directoryEntryLength(entry: ZipEntry, offset: number): number {
  return 46 + Buffer.byteLength(entry.name) + TIME_LENGTH + zip64Values(entry, offset).length
}

/** `crc` is ignored if the entry has a descriptor. */
export function localHeader(entry: ZipEntry, crc: number): Buffer {
  const { hasDescriptor, size } = entry
  const name = Buffer.from(entry.name)
  const large = isLarge(entry)
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x0403_4b50, 0)
  header.writeUInt16LE(large ? VERSION_ZIP64 : VERSION_PLAIN, 4)
  writeCommon(header, 6, entry)
  // With a descriptor, the sizes are there, too. The ZIP64 field then says that they have 8 bytes.
  const known = hasDescriptor ? 0 : size
  header.writeUInt32LE(hasDescriptor ? 0 : crc, 14)
  for (const at of [18, 22]) header.writeUInt32LE(large ? MAX_32 : known, at)
  header.writeUInt16LE(name.length, 26)
  header.writeUInt16LE(TIME_LENGTH + (large ? LOCAL_ZIP64_LENGTH : 0), 28)
  const zip64 = large ? field(ZIP64_FIELD, [known, known]) : Buffer.alloc(0)
  return Buffer.concat([header, name, timeField(entry), zip64])
}

export function descriptor(entry: ZipEntry, crc: number): Buffer {
  const bytes = Buffer.alloc(descriptorLength(entry))
  bytes.writeUInt32LE(0x0807_4b50, 0)
  bytes.writeUInt32LE(crc, 4)
  for (const index of [0, 1]) {
    if (isLarge(entry)) bytes.writeBigUInt64LE(BigInt(entry.size), 8 + index * 8)
    else bytes.writeUInt32LE(entry.size, 8 + index * 4)
  }
  return bytes
}

/** `offset` is the position of the local header. */
export function directoryEntry(entry: ZipEntry, crc: number, offset: number): Buffer {
  const name = Buffer.from(entry.name)
  const zip64 = zip64Values(entry, offset)
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x0201_4b50, 0)
  header.writeUInt16LE(MADE_BY_UNIX | VERSION_ZIP64, 4)
  header.writeUInt16LE(zip64.length > 0 ? VERSION_ZIP64 : VERSION_PLAIN, 6)
  writeCommon(header, 8, entry)
  header.writeUInt32LE(crc, 16)
  for (const at of [20, 24]) header.writeUInt32LE(Math.min(entry.size, MAX_32), at)
  header.writeUInt16LE(name.length, 28)
  header.writeUInt16LE(TIME_LENGTH + zip64.length, 30)
  header.writeUInt32LE(UNIX_MODE, 38)
  header.writeUInt32LE(Math.min(offset, MAX_32), 42)
  return Buffer.concat([header, name, timeField(entry), zip64])
}

interface Directory {
  entries: number
  /** The position of its first entry. */
  start: number
  length: number
}

export function endLength(directory: Directory): number {
  return 22 + (needsZip64End(directory) ? 56 + 20 : 0)
}

/** What follows the directory. */
export function endRecords(directory: Directory): Buffer {
  const { entries, start, length } = directory
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x0605_4b50, 0)
  for (const at of [8, 10]) end.writeUInt16LE(Math.min(entries, MAX_16), at)
  end.writeUInt32LE(Math.min(length, MAX_32), 12)
  end.writeUInt32LE(Math.min(start, MAX_32), 16)
  if (!needsZip64End(directory)) return end
  const record = Buffer.alloc(56)
  record.writeUInt32LE(0x0606_4b50, 0)
  record.writeBigUInt64LE(44n, 4)
  record.writeUInt16LE(MADE_BY_UNIX | VERSION_ZIP64, 12)
  record.writeUInt16LE(VERSION_ZIP64, 14)
  for (const [index, value] of [entries, entries, length, start].entries()) {
    record.writeBigUInt64LE(BigInt(value), 24 + index * 8)
  }
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x0706_4b50, 0)
  locator.writeBigUInt64LE(BigInt(start + length), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([record, locator, end])
}

function needsZip64End({ entries, start, length }: Directory): boolean {
  return entries >= MAX_16 || start >= MAX_32 || length >= MAX_32
}

/** The flags, the method (0: stored) and the time, which are the same in both headers. */
function writeCommon(header: Buffer, at: number, { hasDescriptor, modifiedAt }: ZipEntry): void {
  header.writeUInt16LE(FLAG_UTF8 | (hasDescriptor ? FLAG_DESCRIPTOR : 0), at)
  const { time, date } = dosTime(modifiedAt)
  header.writeUInt16LE(time, at + 4)
  header.writeUInt16LE(date, at + 6)
}

/** In UTC, as programs that need the exact time read the time field. */
function dosTime(seconds: number): { time: number; date: number } {
  const at = new Date(seconds * 1000)
  const year = at.getUTCFullYear()
  if (year < 1980) return { time: 0, date: (1 << 5) | 1 }
  return {
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
    date: (Math.min(year - 1980, 127) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
  }
}

function timeField({ modifiedAt }: ZipEntry): Buffer {
  const bytes = Buffer.alloc(TIME_LENGTH)
  bytes.writeUInt16LE(TIME_FIELD, 0)
  bytes.writeUInt16LE(TIME_LENGTH - 4, 2)
  bytes.writeUInt8(1, 4)
  bytes.writeInt32LE(Math.min(Math.max(modifiedAt, 0), MAX_TIME), 5)
  return bytes
}

/** Only the values that do not fit into the entry, in this order. */
function zip64Values(entry: ZipEntry, offset: number): Buffer {
  const values = [...(isLarge(entry) ? [entry.size, entry.size] : [])]
  if (offset >= MAX_32) values.push(offset)
  return values.length === 0 ? Buffer.alloc(0) : field(ZIP64_FIELD, values)
}

function field(id: number, values: number[]): Buffer {
  const bytes = Buffer.alloc(4 + values.length * 8)
  bytes.writeUInt16LE(id, 0)
  bytes.writeUInt16LE(values.length * 8, 2)
  for (const [index, value] of values.entries())
    bytes.writeBigUInt64LE(BigInt(value), 4 + index * 8)
  return bytes
}

/** The polynomial of CRC-32, reflected. */
const POLYNOMIAL = 0xedb8_8320

/** The CRC-32 of two texts in a row, from the CRC-32 of each and the length of the second. */
export function combineCrc32(first: number, second: number, secondLength: number): number {
  return (multiply(powerOfX(secondLength), first) ^ second) >>> 0
}

/** x to the power of 8 times `bytes`, modulo the polynomial. */
function powerOfX(bytes: number): number {
  let power = 0x8000_0000
  // x to the power of 8.
  let square = 0x0080_0000
  for (let rest = bytes; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = multiply(square, power)
    square = multiply(square, square)
  }
  return power
}

/** The product of two polynomials, whose highest bit is the lowest power. */
function multiply(a: number, b: number): number {
  let product = 0
  let shifted = b
  for (let bit = 0x8000_0000; bit > 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= shifted
    shifted = (shifted & 1) === 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1
  }
  return product >>> 0
}
