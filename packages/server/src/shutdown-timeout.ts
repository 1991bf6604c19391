/** How long what is under way may take once the service ends: most supervisors kill after 30 s. */
export const CLOSE_WITHIN_MS = 25_000
