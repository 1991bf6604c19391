/** Sizes, durations and timestamps as text, the same for the API, the command line and the dashboard. */
export { formatDuration, parseDuration } from './duration.ts'
export { formatTimestamp } from './format-timestamp.ts'
export { formatSize, parseSize } from './size.ts'
