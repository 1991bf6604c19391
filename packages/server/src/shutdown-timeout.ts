/** How long running work may take during a shutdown. Kubernetes kills a process after 30 s by default. */
export const SHUTDOWN_TIMEOUT_MS = 25_000
