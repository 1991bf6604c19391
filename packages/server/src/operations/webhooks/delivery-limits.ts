/** How many requests to a webhook run at the same time, on all instances together. */
export const MAX_ATTEMPTS_PER_WEBHOOK = 10

/** The same for a webhook whose last attempt failed. */
export const MAX_ATTEMPTS_PER_FAILING_WEBHOOK = 2

/**
 * Other instances skip a delivery for this long after it was claimed. Short, because the requests of a killed instance
 * count as running until then. A request that takes longer extends its claim.
 */
export const CLAIM_MS = 6_000

/** The claim of a ping is not extended, so it must outlast the request and the recording of its result. */
export const PING_CLAIM_MS = 30_000

/** A webhook whose attempts have failed for this long is disabled. */
export const FAILING_FOR_MS = 3 * 24 * 3_600_000
