import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { someBytes } from './upload.ts'

const BLOCK = 1_000_000

/** Writes a file whose blocks all differ, a block at a time. */
export async function writeFileOf(path: string, size: number): Promise<void> {
  function* blocks(): Generator<Buffer> {
    for (let start = 0; start < size; start += BLOCK) {
      yield someBytes(Math.min(BLOCK, size - start), 1 + start / BLOCK)
    }
  }
  await pipeline(Readable.from(blocks()), createWriteStream(path))
}

/** Copies the bytes from `start` up to, not including, `end` to a file of their own. */
export async function cutFile(
  from: string,
  to: string,
  { start, end }: { start: number; end: number },
): Promise<void> {
  // A stream's own end is inclusive, so it cannot say "nothing".
  const source = end > start ? createReadStream(from, { start, end: end - 1 }) : Readable.from([])
  await pipeline(source, createWriteStream(to))
}

export async function readBytesAt(
  path: string,
  { start, end }: { start: number; end: number },
): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
