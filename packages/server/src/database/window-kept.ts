/**
 * How long the rate limit keeps the count of a window, from the start of the window. When the next window begins,
 * requests of this one may still be waiting for the database: their count must not restart at zero.
 */
export const WINDOW_KEPT_MS = 120_000
