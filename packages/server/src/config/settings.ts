import { isIP } from 'node:net'
import { parseDuration, parseSize } from '@stowage/protocol/format'

/** Every setting of the service. */
export const SETTINGS = [
  'STOWAGE_HOST',
  'STOWAGE_PORT',
  'STOWAGE_BASE_URL',
  'STOWAGE_DATA',
  'STOWAGE_DATABASE',
  'STOWAGE_DATABASE_POOL',
  'STOWAGE_DATABASE_TIMEOUT',
  'STOWAGE_DATABASE_TLS',
  'STOWAGE_MIGRATE',
  'STOWAGE_STORAGE',
  'STOWAGE_STORAGE_PORT',
  'STOWAGE_STORAGE_URL',
  'STOWAGE_DISK_RESERVE',
  'STOWAGE_DISK_FAST_BODY',
  'STOWAGE_S3_ENDPOINT',
  'STOWAGE_S3_REGION',
  'STOWAGE_S3_PATH_STYLE',
  'STOWAGE_S3_MAX_PARTS',
  'STOWAGE_DELIVER',
  'STOWAGE_AUTH',
  'STOWAGE_ADMIN_KEY',
  'STOWAGE_ADMIN_KEY_PREVIOUS',
  'STOWAGE_TRUST_PROXY',
  'STOWAGE_SECRET_KEY',
  'STOWAGE_PLAN_STORAGE',
  'STOWAGE_CHUNK_SIZE',
  'STOWAGE_SIGNED_FOR',
  'STOWAGE_UPLOADS_KEPT_FOR',
  'STOWAGE_KEEP_VERSIONS',
  'STOWAGE_TRASH_FOR',
  'STOWAGE_EVENTS_FOR',
  'STOWAGE_EVENTS_SIZE',
  'STOWAGE_DOWNLOADS_FOR',
  'STOWAGE_CHECKSUMS',
  'STOWAGE_SCRUB_EVERY',
  'STOWAGE_WEBHOOK_TARGETS',
  'STOWAGE_SMTP_URL',
  'STOWAGE_MAIL_FROM',
  'STOWAGE_MAIL_REPLY_TO',
  'STOWAGE_MAIL_RATE',
  'STOWAGE_RATE_LIMIT',
  'STOWAGE_METRICS_PORT',
  'STOWAGE_LOG',
] as const

export type Setting = (typeof SETTINGS)[number]

/** Settings of the client commands. They may be set when the service starts. */
export const CLIENT_SETTINGS: readonly string[] = ['STOWAGE_URL', 'STOWAGE_API_KEY']

/* Parsers of settings. Each returns undefined if the text is invalid. */

const DAY_MS = 24 * 3_600_000
const MAX_URL_LIFETIME_MS = 7 * DAY_MS
const MAX_TRASH_RETENTION_MS = 365 * 24 * 3_600_000
const MAX_EVENT_RETENTION_MS = 3650 * DAY_MS
const MIN_EVENTS_SIZE = 1_000_000
const MAX_UPLOAD_RETENTION_MS = 365 * DAY_MS
const MAX_SCRUB_INTERVAL_MS = 365 * DAY_MS
const MAX_STATEMENT_TIMEOUT_MS = 3_600_000

export function oneOf<const Choice extends string>(choices: readonly Choice[]) {
  return (text: string) => choices.find((choice) => choice === text)
}

export const PORT_DESCRIPTION = 'a port from 0 to 65535 (0 chooses a free port)'
export const URL_DESCRIPTION =
  'an http or https URL without a query, such as https://files.example.com'

export const ADMIN_KEY_DESCRIPTION =
  'at least 32 visible ASCII characters, such as the output of: openssl rand -hex 32'

export const PROXIES_DESCRIPTION =
  'the number of proxies in front of the service (1 to 10), or their addresses, such as 10.0.0.0/8,192.0.2.1'

export function parseHost(text: string): string | undefined {
  return isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text) ? text : undefined
}

export function parseAdminKey(text: string): string | undefined {
  return /^[\x21-\x7e]{32,}$/.test(text) ? text : undefined
}

export const SECRET_KEY_DESCRIPTION =
  '32 random bytes as base64 or hex, such as the output of: openssl rand -base64 32'

/** Returns base64. */
export function parseSecretKey(text: string): string | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex').toString('base64')
  return /^[A-Za-z0-9+/]{43}=$/.test(text) ? text : undefined
}

export function parseCount(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
}

/** How many older versions of a file are kept. */
export function parseVersionCount(text: string): number | undefined {
  return /^(\d{1,2}|100)$/.test(text) ? Number(text) : undefined
}

export function parsePort(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined
}

/** Returns the URL without a trailing slash, so that paths can be appended. */
export function parseHttpUrl(text: string): string | undefined {
  const url = URL.parse(text)
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !hasUser(url)
  return isPlain ? url.href.replace(/\/+$/, '') : undefined
}

function hasUser({ username, password }: URL): boolean {
  return username !== '' || password !== ''
}

export function parsePositiveSize(text: string): number | undefined {
  const size = parseSize(text)
  return size !== undefined && size > 0 ? size : undefined
}

export function parseUrlLifetime(text: string): number | undefined {
  return parseDurationUpTo(MAX_URL_LIFETIME_MS, text)
}

export function parseStatementTimeout(text: string): number | undefined {
  return parseDurationUpTo(MAX_STATEMENT_TIMEOUT_MS, text)
}

export function parseUploadRetention(text: string): number | undefined {
  return parseDurationUpTo(MAX_UPLOAD_RETENTION_MS, text)
}

/** 0 means that deleted assets are removed immediately. */
export function parseTrashRetention(text: string): number | undefined {
  return /^0[smhd]?$/.test(text) ? 0 : parseDurationUpTo(MAX_TRASH_RETENTION_MS, text)
}

export function parseEventRetention(text: string): number | undefined {
  return parseDurationUpTo(MAX_EVENT_RETENTION_MS, text)
}

/** How many bytes of events are kept for each account. */
export function parseEventsSize(text: string): number | undefined {
  const size = parseSize(text)
  return size !== undefined && size >= MIN_EVENTS_SIZE ? size : undefined
}

/** How often every file is read again. `0`: never. */
export function parseScrubInterval(text: string): number | undefined {
  return text === '0' ? 0 : parseDurationUpTo(MAX_SCRUB_INTERVAL_MS, text)
}

function parseDurationUpTo(maxMs: number, text: string): number | undefined {
  const milliseconds = parseDuration(text)
  const isAllowed = milliseconds !== undefined && milliseconds >= 1000 && milliseconds <= maxMs
  return isAllowed ? milliseconds : undefined
}
