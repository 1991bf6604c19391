/** How long running work may take during a shutdown. Most supervisors kill a process after 30 s. */
export const SHUTDOWN_TIMEOUT_MS = 25_000
