import type { Integrity } from '../domain/asset.ts'

/**
 * Which job reads an object: `new` for objects of uploads that were just completed, `backlog` for objects that
 * an older version of Stowage stored without checksums, or that `stowage move` copied from another deployment, and
 * `scrub` for objects that were already read.
 * `damaged` is for the damaged objects among those of `scrub`: they do not wait for the others, and are also read if
 * scrubbing is disabled.
 */
export type VerificationQueue = 'new' | 'backlog' | 'scrub' | 'damaged'

/** After this time, an object that could not be read is read again: the disk may have been repaired. */
export const UNREADABLE_MS = 3_600_000

/** An object whose bytes are read to compute or compare its SHA-256. */
export interface Verification {
  key: string
  bytes: number
  chunkSize: number
}

/** The objects whose bytes are verified, of all accounts. */
export interface VerificationData {
  /**
   * Claims objects that are due, the longest overdue first. Other instances skip them until `claimedUntil`. An
   * object that is due after `latest` was queued by a wrong clock, and counts as due.
   */
  claimVerifications(
    queue: VerificationQueue,
    times: { now: Date; latest: Date; claimedUntil: Date },
    limit: number,
  ): Promise<Verification[]>

  /** Extends or ends a claim: the object is due at this time. An unknown object is not an error. */
  postponeVerification(key: string, dueAt: Date): Promise<void>

  /**
   * Records the SHA-256 of the bytes that were read; null if they could not be read or are not those that were
   * stored. They are damaged unless they have the expected digest: the declared one, or that of the first read. The
   * object is due again at `dueAt`, in the queue `scrub`. Returns undefined if the object no longer exists.
   */
  recordVerification(
    key: string,
    result: { sha256: string | null; dueAt: Date },
  ): Promise<Integrity | undefined>
}
