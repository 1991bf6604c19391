import type { Integrity } from '../domain/asset.ts'

/**
 * Which job reads an object that is not withheld from downloads: `new` for objects of uploads that were just completed, `backlog` for objects that
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

export interface ClaimTimes {
  now: Date
  /** An object that is due after this time was queued by a wrong clock, and counts as due. */
  latest: Date
  /** Other instances skip the claimed objects until this time. */
  claimedUntil: Date
}

export interface WithheldOptions {
  after: string | undefined
  minBytes: number
  maxBytes: number
}

/** The objects whose bytes are verified, of all accounts. */
export interface VerificationData {
  /** Claims objects that are due and not withheld from downloads, the longest overdue first. */
  claimVerifications(
    queue: VerificationQueue,
    times: ClaimTimes,
    limit: number,
  ): Promise<Verification[]>

  /**
   * Claims an object whose downloads wait for its first comparison: of the next account after `after` that has one of
   * these sizes, its smallest. After the last account follows the first.
   */
  claimWithheld(
    times: ClaimTimes,
    options: WithheldOptions,
  ): Promise<(Verification & { accountId: string }) | undefined>

  /** Downloads get the object without a comparison. Removes versions like `recordVerification`. */
  releaseWithheld(key: string, options: { keepVersions: number }): Promise<void>

  /** Extends or ends a claim: the object is due at this time. An unknown object is not an error. */
  postponeVerification(key: string, dueAt: Date): Promise<void>

  /**
   * Records the SHA-256 of the bytes that were read; null if they could not be read or are not those that were
   * stored. They are damaged unless they have the expected digest: the declared one, or that of the first read. The
   * object is due again at `dueAt`, in the queue `scrub`. Returns undefined if the object no longer exists.
   *
   * If the object was withheld and has the declared digest, downloads get it from now on, and older versions that were
   * only kept for downloads are removed, as by `finishCompletion`. Without `keepVersions`, it stays withheld, and is due
   * immediately: the caller does not know how many versions the service keeps.
   */
  recordVerification(
    key: string,
    result: { sha256: string | null; dueAt: Date; keepVersions?: number },
  ): Promise<Integrity | undefined>
}
