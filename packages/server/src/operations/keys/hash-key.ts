import { createHash } from 'node:crypto'

/**
 * Keys and tokens have 256 random bits, and the admin key has at least 32 characters. They cannot be guessed, so a
 * fast hash is enough.
 */
export function hashKey(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
