import assert from 'node:assert/strict'

const BLOCK = 65_536
/** The size of the seed and the position, which are at the start of each block. */
const HEADER = 8
const FILLED: Buffer[] = []

/** Some bytes of the content of a version. Each block contains the seed and its position. */
export function contentOf(seed: number, start: number, end: number): Buffer {
  const first = Math.floor(start / BLOCK)
  const blocks = Array.from({ length: Math.ceil(end / BLOCK) - first }, (_, index) =>
    blockOf(seed, first + index),
  )
  return Buffer.concat(blocks).subarray(start - first * BLOCK, end - first * BLOCK)
}

function blockOf(seed: number, index: number): Buffer {
  const block = Buffer.from(filledBlock(seed, index))
  block.writeUInt32BE(seed, 0)
  block.writeUInt32BE(index, 4)
  return block
}

/** A block without its seed and position. Cached, because many clients compare gigabytes with these. */
function filledBlock(seed: number, index: number): Buffer {
  const byte = (seed * 31 + index) % 256
  FILLED[byte] ??= Buffer.alloc(BLOCK, byte)
  return FILLED[byte]
}

function isContent(bytes: Buffer, seed: number, start: number): boolean {
  for (let at = 0; at < bytes.length; ) {
    const index = Math.floor((start + at) / BLOCK)
    const from = start + at - index * BLOCK
    const length = Math.min(bytes.length - at, BLOCK - from)
    const expected = from < HEADER ? blockOf(seed, index) : filledBlock(seed, index)
    if (bytes.compare(expected, from, from + length, at, at + length) !== 0) return false
    at += length
  }
  return true
}

/** The part of a version that a client has received. */
export interface Received {
  /** Undefined until the first bytes have arrived. */
  seed: number | undefined
  bytes: number
}

/** Compares the body with the content, and adds to `received`. Holds one chunk in memory. */
export async function checkContent(
  body: AsyncIterable<Uint8Array> | null,
  received: Received,
): Promise<void> {
  for await (const chunk of body ?? []) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    received.seed ??= bytes.readUInt32BE()
    const { seed, bytes: at } = received
    assert.ok(isContent(bytes, seed, at), `version ${seed} is mixed or cut after ${at} bytes`)
    received.bytes += bytes.length
  }
}
