import { createHash } from 'node:crypto'

/** A key has 256 random bits, so it cannot be guessed and a fast hash is enough. */
export function hashKey(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
