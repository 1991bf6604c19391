import { createHash } from 'node:crypto'
import { someBytes } from '@stowage/testing/service/upload'
import { CHUNK_SIZE } from './commands.ts'
import type { ModelVersion } from './model.ts'

/** The bytes of a part. Each content has different bytes, so that mixed content would be detected. */
export function partBytes({ start, end }: { start: number; end: number }, content: number): Buffer {
  return someBytes(end, content).subarray(start, end)
}

/** The SHA-256 of the bytes of a version. */
export function digestOf({ size, parts }: Pick<ModelVersion, 'size' | 'parts'>): string {
  const bytes = parts.map(({ number, content }) => {
    const start = (number - 1) * CHUNK_SIZE
    return partBytes({ start, end: Math.min(size, start + CHUNK_SIZE) }, content)
  })
  return sha256(Buffer.concat(bytes))
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
