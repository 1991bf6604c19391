/**
 * How long the count of a window of the rate limit is kept after its start. When a window begins, requests
 * of the one before it may still be waiting for the database: they must not start from zero.
 */
export const WINDOW_KEPT_MS = 120_000
