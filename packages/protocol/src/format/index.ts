/** Sizes, durations and timestamps as text, the same for the API, the CLI and the dashboard. */
export { formatDuration, parseDuration } from './duration.ts'
export { formatTimestamp } from './format-timestamp.ts'
export { formatSize, parseSize } from './size.ts'
