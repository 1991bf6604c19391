/** How long what is under way may take once the service ends: most supervisors kill after 30 s. */
export const SHUTDOWN_TIMEOUT_MS = 25_000
