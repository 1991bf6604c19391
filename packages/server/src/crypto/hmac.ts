import { type BinaryToTextEncoding, hash } from 'node:crypto'

const BLOCK = 64
const DIGEST = 32
const FIRST_CAPACITY = 512

export type Hmac = (message: string, encoding: BinaryToTextEncoding) => string

/**
 * HMAC-SHA-256 for many messages, as defined in RFC 2104: a hash of a hash, each prefixed with a block
 * derived from the key. One-shot hashes over prepared buffers take a fifth of the time of an Hmac object.
 */
export function hmacOf(key: Uint8Array): Hmac {
  if (key.length > BLOCK) return hmacOf(hash('sha256', key, 'buffer'))
  const outer = Buffer.concat([padded(key, 0x5c), Buffer.alloc(DIGEST)])
  const innerBlock = padded(key, 0x36)
  let inner = Buffer.concat([innerBlock, Buffer.alloc(FIRST_CAPACITY)])
  return (message, encoding) => {
    const length = BLOCK + Buffer.byteLength(message)
    if (length > inner.length) inner = Buffer.concat([innerBlock, Buffer.alloc(2 * length)])
    inner.write(message, BLOCK)
    outer.write(hash('sha256', inner.subarray(0, length), 'binary'), BLOCK, 'latin1')
    return hash('sha256', outer, encoding)
  }
}

function padded(key: Uint8Array, byte: number): Buffer {
  const block = Buffer.alloc(BLOCK, byte)
  for (const [index, value] of key.entries()) block[index] = byte ^ value
  return block
}
