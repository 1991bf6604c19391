import { createHmac } from 'node:crypto'

/**
 * Identifies the admin key in a stored session or upload token. The admin key is never stored, not even as a plain
 * hash: without the token, which is not stored either, this value reveals nothing about the key.
 */
export function adminKeyHash(token: string, hash: string): string {
  return createHmac('sha256', token).update(hash).digest('hex')
}
