import assert from 'node:assert/strict'

const BLOCK = 65_536

/** Some bytes of the content of a version. Each block contains the seed and its position. */
export function contentOf(seed: number, start: number, end: number): Buffer {
  const first = Math.floor(start / BLOCK)
  const blocks = Array.from({ length: Math.ceil(end / BLOCK) - first }, (_, index) =>
    blockOf(seed, first + index),
  )
  return Buffer.concat(blocks).subarray(start - first * BLOCK, end - first * BLOCK)
}

function blockOf(seed: number, index: number): Buffer {
  const block = Buffer.alloc(BLOCK, (seed * 31 + index) % 256)
  block.writeUInt32BE(seed, 0)
  block.writeUInt32BE(index, 4)
  return block
}

/** What a client has received of a version. */
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
    const isSame = contentOf(seed, at, at + bytes.length).equals(bytes)
    assert.ok(isSame, `version ${seed} is mixed or cut after ${at} bytes`)
    received.bytes += bytes.length
  }
}
