import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { someBytes } from '../service/upload.ts'

/** Prime, so that no two parts of a file start with the same bytes. */
const PERIOD = 1_000_003
const BUFFER_SIZE = 4 * 1024 * 1024

interface Range {
  start: number
  /** Exclusive. */
  end: number
}

/** Writes a file whose content repeats only after a period. */
export async function writeFileOf(path: string, size: number): Promise<void> {
  const period = someBytes(PERIOD)
  await using file = await open(path, 'w')
  for (let start = 0; start < size; start += PERIOD) {
    await file.writev([period.subarray(0, size - start)])
  }
}

/** Copies the range to a new file. */
export async function cutFile(from: string, to: string, range: Range): Promise<void> {
  await using source = await open(from)
  await using target = await open(to, 'w')
  for await (const bytes of blocksOf(source, range)) await target.writev([bytes])
}

export async function readBytesAt(path: string, range: Range): Promise<Buffer> {
  await using file = await open(path)
  return Buffer.concat(await Array.fromAsync(blocksOf(file, range), (bytes) => Buffer.from(bytes)))
}

export async function sha256OfFile(path: string): Promise<string> {
  await using file = await open(path)
  const { size } = await file.stat()
  const hash = createHash('sha256')
  for await (const bytes of blocksOf(file, { start: 0, end: size })) hash.update(bytes)
  return hash.digest('hex')
}

/** Reuses one buffer: a stream allocates one per block, which takes longer than reading it. */
async function* blocksOf(file: FileHandle, { start, end }: Range): AsyncIterable<Buffer> {
  const buffer = Buffer.alloc(Math.min(BUFFER_SIZE, end - start))
  for (let position = start; position < end; ) {
    const length = Math.min(buffer.length, end - position)
    const { bytesRead } = await file.read(buffer, 0, length, position)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    position += bytesRead
  }
}
