import { resolve } from 'node:path'
import { formatDuration, parseSize } from '@stowage/protocol/format'
import { parseTrustedProxies, type TrustedProxies } from '../domain/addresses.ts'
import { MAX_PART_SIZE } from '../domain/parts.ts'
import { closestOf } from '../text/closest.ts'
import {
  type DatabaseConfig,
  type Read,
  readDatabase,
  readStorage,
  S3_SMALLEST_PART,
  type StorageConfig,
} from './engines.ts'
import { type MailConfig, readMail } from './mail.ts'
import {
  ADMIN_KEY_DESCRIPTION,
  CLIENT_SETTINGS,
  oneOf,
  PORT_DESCRIPTION,
  PROXIES_DESCRIPTION,
  parseAdminKey,
  parseCount,
  parseEventRetention,
  parseEventsSize,
  parseHost,
  parseHttpUrl,
  parsePort,
  parsePositiveSize,
  parseScrubInterval,
  parseSecretKey,
  parseTrashRetention,
  parseUploadRetention,
  parseUrlLifetime,
  parseVersionCount,
  SECRET_KEY_DESCRIPTION,
  SETTINGS,
  type Setting,
  URL_DESCRIPTION,
} from './settings.ts'

const HOUR_MS = 3_600_000

export interface Config {
  host: string
  port: number
  /** Undefined: derived from the host and the actual port. */
  baseUrl: string | undefined
  dataDirectory: string
  database: DatabaseConfig
  storage: StorageConfig
  /** Whether the service migrates its database when it starts. */
  migrate: 'auto' | 'off'
  auth: AuthConfig
  /** The proxies whose `X-Forwarded-For` is used. Undefined: none. */
  trustProxy: TrustedProxies | undefined
  /** Encrypts the secrets in the database, as base64. Undefined: a key in the storage. */
  secretKey: string | undefined
  /** Requests per minute for each key; undefined means no limit. */
  rateLimit: number | undefined
  /** Undefined: an existing account keeps its plan. */
  planStorage: number | undefined
  chunkSize: number
  signedForMs: number
  uploadsKeptForMs: number
  /** How many older versions of a file are kept. */
  keepVersions: number
  /** How long deleted assets stay in the trash. 0: they are removed immediately. */
  trashForMs: number
  /** How long events are kept. */
  eventsForMs: number
  /** How many bytes of events are kept for each account. Undefined: 1 % of its plan, at least 1 GB. */
  eventsMaxBytes: number | undefined
  /** How long the log of downloads is kept. */
  downloadsForMs: number
  /** On S3, whether the downloads of buyers are redirected to the storage, or sent by the service. */
  deliver: 'redirect' | 'proxy'
  /** Whether the SHA-256 of every file is computed. */
  checksums: boolean
  /** How often every file on disk is read again. 0: never. */
  scrubEveryMs: number
  /** `public`: webhooks are not sent to private, loopback and link-local addresses. */
  webhookTargets: 'public' | 'any'
  mail: MailConfig
  /** The port of the metrics. Undefined: none. */
  metricsPort: number | undefined
  logLevel: LogLevel
}

export type AuthConfig =
  | { kind: 'open' }
  /** `previousAdminKey` also works, so that the admin key can be replaced without downtime. */
  | { kind: 'keys'; adminKey: string | undefined; previousAdminKey: string | undefined }

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** The plan of a new default account, unless it is configured. */
export const DEFAULT_PLAN_STORAGE = 1_000_000_000_000

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/

/** All problems with the settings, each with what to set. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: string[]

  constructor(problems: string[]) {
    super(`Invalid configuration:\n${problems.map((line) => `  ${line}`).join('\n')}`)
    this.problems = problems
  }
}

export type Environment = Record<string, string | undefined>

/** Parses the settings. Throws all problems together. */
export function readConfig(environment: Environment): Config {
  const problems: string[] = unknownSettings(environment)

  const read: Read = (name, parse, expected, { secret = false } = {}) => {
    const text = environment[name]
    if (text === undefined || text === '') return undefined
    const value = parse(text)
    if (value === undefined)
      problems.push(`${name}${secret ? '' : `=${text}`}: must be ${expected}`)
    return value
  }

  const dataDirectory = resolve(environment.STOWAGE_DATA || './data')
  const host =
    read('STOWAGE_HOST', parseHost, 'an address to listen on, such as 127.0.0.1 or 0.0.0.0') ??
    '127.0.0.1'
  const baseUrl = read('STOWAGE_BASE_URL', parseHttpUrl, URL_DESCRIPTION)
  // Behind a proxy, other hosts can reach the service, even if it listens on loopback.
  const isLocal = LOOPBACK.test(host) && (baseUrl === undefined || isLoopbackUrl(baseUrl))
  const authKind = read('STOWAGE_AUTH', oneOf(['open', 'keys']), 'open or keys')
  if (authKind === 'open' && !isLocal) {
    problems.push(
      `STOWAGE_AUTH=open: anyone who reaches ${baseUrl ?? host} would have full access; set STOWAGE_AUTH=keys, or set STOWAGE_HOST=127.0.0.1 and unset STOWAGE_BASE_URL`,
    )
  }
  const readAdminKey = (name: Setting) =>
    read(name, parseAdminKey, ADMIN_KEY_DESCRIPTION, { secret: true })
  const adminKey = readAdminKey('STOWAGE_ADMIN_KEY')
  const previousAdminKey = readAdminKey('STOWAGE_ADMIN_KEY_PREVIOUS')
  if (previousAdminKey !== undefined && !environment.STOWAGE_ADMIN_KEY) {
    problems.push(
      'STOWAGE_ADMIN_KEY_PREVIOUS: has no effect without STOWAGE_ADMIN_KEY; set the new key there',
    )
  }
  if (previousAdminKey !== undefined && previousAdminKey === adminKey) {
    problems.push(
      'STOWAGE_ADMIN_KEY_PREVIOUS: must differ from STOWAGE_ADMIN_KEY; unset it after the rotation',
    )
  }
  const isOpen = (authKind ?? (isLocal ? 'open' : 'keys')) === 'open'
  if (isOpen && adminKey !== undefined) {
    problems.push('STOWAGE_ADMIN_KEY: has no effect without STOWAGE_AUTH=keys; set both or neither')
  }
  const trustProxy = read('STOWAGE_TRUST_PROXY', parseTrustedProxies, PROXIES_DESCRIPTION)
  if (isOpen && trustProxy !== undefined) {
    problems.push(
      'STOWAGE_TRUST_PROXY: without keys, requests through a proxy are refused; set STOWAGE_AUTH=keys',
    )
  }

  const storage = readStorage(read, dataDirectory)
  const checksums = read('STOWAGE_CHECKSUMS', oneOf(['on', 'off']), 'on or off')
  const scrubEveryMs = read(
    'STOWAGE_SCRUB_EVERY',
    parseScrubInterval,
    'a duration from 1s to 365d, such as 30d, or 0 for never',
  )

  const config: Config = {
    host,
    port: read('STOWAGE_PORT', parsePort, PORT_DESCRIPTION) ?? 4000,
    baseUrl,
    dataDirectory,
    database: readDatabase(read, dataDirectory),
    storage,
    migrate: read('STOWAGE_MIGRATE', oneOf(['auto', 'off']), 'auto or off') ?? 'auto',
    auth: isOpen ? { kind: 'open' } : { kind: 'keys', adminKey, previousAdminKey },
    trustProxy,
    secretKey: read('STOWAGE_SECRET_KEY', parseSecretKey, SECRET_KEY_DESCRIPTION, {
      secret: true,
    }),
    rateLimit: read(
      'STOWAGE_RATE_LIMIT',
      parseCount,
      'a number of requests per minute, such as 600',
    ),
    planStorage: read('STOWAGE_PLAN_STORAGE', parseSize, 'a size such as 500GB or 1TB'),
    chunkSize:
      read('STOWAGE_CHUNK_SIZE', parsePositiveSize, 'a size of at least 1 byte, such as 100MB') ??
      100_000_000,
    signedForMs:
      read('STOWAGE_SIGNED_FOR', parseUrlLifetime, 'a duration from 1s to 7d, such as 12h') ??
      12 * HOUR_MS,
    uploadsKeptForMs:
      read(
        'STOWAGE_UPLOADS_KEPT_FOR',
        parseUploadRetention,
        'a duration from 1s to 365d, such as 7d',
      ) ?? 7 * 24 * HOUR_MS,
    keepVersions:
      read('STOWAGE_KEEP_VERSIONS', parseVersionCount, 'a number from 0 to 100, such as 5') ?? 5,
    trashForMs:
      read('STOWAGE_TRASH_FOR', parseTrashRetention, '0, or a duration up to 365d, such as 30d') ??
      30 * 24 * HOUR_MS,
    eventsForMs:
      read('STOWAGE_EVENTS_FOR', parseEventRetention, 'a duration up to 3650d, such as 30d') ??
      30 * 24 * HOUR_MS,
    eventsMaxBytes: read('STOWAGE_EVENTS_SIZE', parseEventsSize, 'a size from 1MB, such as 1GB'),
    downloadsForMs:
      read('STOWAGE_DOWNLOADS_FOR', parseEventRetention, 'a duration up to 3650d, such as 90d') ??
      90 * 24 * HOUR_MS,
    deliver:
      read('STOWAGE_DELIVER', oneOf(['redirect', 'proxy']), 'redirect or proxy') ?? 'redirect',
    checksums: checksums ? checksums === 'on' : storage.kind === 'disk',
    scrubEveryMs: scrubEveryMs ?? 30 * 24 * HOUR_MS,
    webhookTargets:
      read('STOWAGE_WEBHOOK_TARGETS', oneOf(['public', 'any']), 'public or any') ??
      (isOpen ? 'any' : 'public'),
    mail: readMail(read, problems),
    metricsPort: read('STOWAGE_METRICS_PORT', parsePort, PORT_DESCRIPTION),
    logLevel: read('STOWAGE_LOG', oneOf(LOG_LEVELS), `one of ${LOG_LEVELS.join(', ')}`) ?? 'info',
  }
  // If an engine’s setting is invalid, problems that follow from it are not reported.
  const areEnginesKnown = !problems.some((line) => /^STOWAGE_(DATABASE|STORAGE)[=:]/.test(line))
  if (areEnginesKnown) problems.push(...mismatches(config, environment))
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

/** Whether the data folder is used. Then only one process may use it. */
export function usesDataFolder({ database, storage }: Config): boolean {
  return database.kind === 'sqlite' || storage.kind === 'disk'
}

function isLoopbackUrl(url: string): boolean {
  return LOOPBACK.test(new URL(url).hostname.replace(/^\[|\]$/g, ''))
}

/** Problems between settings that are valid on their own. */
function mismatches(config: Config, environment: Environment): string[] {
  const { port, database, storage, chunkSize, signedForMs, uploadsKeptForMs } = config
  const problems: string[] = []
  if (chunkSize > MAX_PART_SIZE) {
    problems.push(
      `STOWAGE_CHUNK_SIZE=${chunkSize}: must be at most 5 GiB, the largest part that S3 accepts`,
    )
  }
  if (uploadsKeptForMs < signedForMs) {
    const given = environment.STOWAGE_UPLOADS_KEPT_FOR ?? formatDuration(uploadsKeptForMs)
    const signed = formatDuration(signedForMs)
    problems.push(
      `STOWAGE_UPLOADS_KEPT_FOR=${given}: must not be shorter than STOWAGE_SIGNED_FOR (${signed}), the validity of the URLs`,
    )
  }
  const { metricsPort } = config
  const ports = [port, storage.kind === 'disk' ? storage.port : undefined]
  if (metricsPort && ports.includes(metricsPort)) {
    problems.push(
      `STOWAGE_METRICS_PORT=${metricsPort}: must differ from STOWAGE_PORT and STOWAGE_STORAGE_PORT`,
    )
  }
  const refuse = (names: RegExp, reason: string) => {
    for (const name of SETTINGS) {
      if (names.test(name) && environment[name]) problems.push(`${name}: ${reason}; leave it unset`)
    }
  }
  if (database.kind === 'sqlite') {
    refuse(/_DATABASE_/, 'applies only to PostgreSQL, but STOWAGE_DATABASE is SQLite')
  }
  if (storage.kind === 'disk') {
    refuse(/_(S3_\w+|DELIVER)$/, 'applies only to S3, but STOWAGE_STORAGE is the disk')
    if (port !== 0 && port === storage.port) {
      problems.push(`STOWAGE_STORAGE_PORT=${port}: must differ from STOWAGE_PORT`)
    }
    return problems
  }
  refuse(
    /_(STORAGE_(PORT|URL)|DISK_\w+|SCRUB_EVERY)$/,
    'applies only to the disk storage, but STOWAGE_STORAGE is S3',
  )
  if (chunkSize < S3_SMALLEST_PART) {
    problems.push(
      `STOWAGE_CHUNK_SIZE=${chunkSize}: must be at least 5 MiB, the smallest part that S3 accepts`,
    )
  }
  return problems
}

function unknownSettings(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('STOWAGE_') && !CLIENT_SETTINGS.includes(name))
    .filter((name) => !SETTINGS.includes(name as Setting))
    .map((name) => `${name}: unknown setting; did you mean ${closestOf(name, SETTINGS)}?`)
}
