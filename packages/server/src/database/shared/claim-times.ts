/** Other instances skip a removal for this long after it was claimed. */
export const REMOVAL_CLAIM_MS = 60_000

/**
 * The longer a completion has been stuck, the longer other instances skip it: for the time that it has been
 * stuck so far, within these limits.
 */
export const MIN_COMPLETION_CLAIM_MS = 1_000
export const MAX_COMPLETION_CLAIM_MS = 3_600_000

/** How long the object of a superseded version is kept, for downloads whose URLs were signed earlier. */
export const REPLACED_OBJECT_KEPT_MS = 3_600_000

/** A time that is further in the future was set by a wrong clock, and counts as past. */
export const MAX_FUTURE_MS = 3_600_000
/**
 * The same limit for removals. It is longer than any removal waits, so that a small correction of the clock is
 * harmless.
 */
export const MAX_REMOVAL_FUTURE_MS = 2 * 3_600_000

/**
 * How long the rate limit keeps the count of a window, from the start of the window. When the next window begins,
 * requests of this one may still be waiting for the database: their count must not restart at zero.
 */
export const WINDOW_KEPT_MS = 120_000
