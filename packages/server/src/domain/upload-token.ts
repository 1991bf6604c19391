import type { Actor } from './key.ts'
import type { ProductSelection } from './product.ts'

/** What a page may upload with a token. */
export interface UploadTokenLimits {
  /** The size of all its uploads together. Cancelled and expired ones do not count. */
  maxBytes: number
  maxFiles: number
  /** Media types such as `image/*`; null allows every type. */
  mediaTypes: string[] | null
  /** The origin of the pages that may use it; null for any. */
  origin: string | null
  /** Products that each file is attached to when its upload is completed. */
  attach: ProductSelection | null
  /** The asset that it uploads new versions of; null if it creates assets. */
  replaces: string | null
}

export interface NewUploadToken extends UploadTokenLimits {
  id: string
  /** SHA-256 of the token in hexadecimal. The token itself is never stored. */
  hash: string
  /** The key that created it: its hash, or `adminKeyHash`. */
  keyHash: string
  /** The key that created it; null if the service requires none. */
  createdBy: Actor | null
}

export interface UploadToken extends NewUploadToken {
  accountId: string
  /** By the database’s clock. */
  createdAt: Date
  /** Until when it can start uploads, by the database’s clock. When it was revoked, if that was earlier. */
  expiresAt: Date
  /** By the database’s clock. An expired token can still continue its own uploads, unless it was revoked. */
  isExpired: boolean
  revokedAt: Date | null
}

/** How long a token can start uploads at most. */
export const MAX_TOKEN_LIFETIME_MS = 24 * 3_600_000

/**
 * How many uploads a token can start, including those that were cancelled or have expired: without a limit, a visitor
 * of the page could fill the database by starting and cancelling uploads.
 */
export function maxStartedUploads(maxFiles: number): number {
  return 100 + 10 * maxFiles
}
