import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { closestOf } from './domain/closest.ts'
import { parseDurationText } from './domain/duration-text.ts'
import { parseSizeText } from './domain/size-text.ts'

export interface Config {
  host: string
  port: number
  /** Undefined: made of the host and the port that is really taken. */
  baseUrl: string | undefined
  dataDirectory: string
  database: DatabaseConfig
  storage: {
    kind: 'disk'
    directory: string
    port: number
    url: string | undefined
  }
  auth: AuthConfig
  /** Requests a minute and key; undefined is without limit. */
  rateLimit: number | undefined
  /** Undefined: an account that exists keeps its plan. */
  planStorage: number | undefined
  chunkSize: number
  signedForMs: number
  logLevel: LogLevel
}

export type DatabaseConfig =
  | { kind: 'sqlite'; file: string }
  | {
      kind: 'postgres'
      url: string
      poolSize: number
      statementTimeoutMs: number
      tls: 'off' | 'on' | 'verify'
    }

export type AuthConfig = { kind: 'open' } | { kind: 'keys'; adminKey: string | undefined }

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** What the default account gets when nothing is set. */
export const DEFAULT_PLAN_STORAGE = 1_000_000_000_000

const SETTINGS = [
  'STOWAGE_HOST',
  'STOWAGE_PORT',
  'STOWAGE_BASE_URL',
  'STOWAGE_DATA',
  'STOWAGE_DATABASE',
  'STOWAGE_DATABASE_POOL',
  'STOWAGE_DATABASE_TIMEOUT',
  'STOWAGE_DATABASE_TLS',
  'STOWAGE_STORAGE',
  'STOWAGE_STORAGE_PORT',
  'STOWAGE_STORAGE_URL',
  'STOWAGE_S3_ENDPOINT',
  'STOWAGE_S3_REGION',
  'STOWAGE_S3_PATH_STYLE',
  'STOWAGE_S3_MAX_PARTS',
  'STOWAGE_AUTH',
  'STOWAGE_ADMIN_KEY',
  'STOWAGE_PLAN_STORAGE',
  'STOWAGE_CHUNK_SIZE',
  'STOWAGE_SIGNED_FOR',
  'STOWAGE_RATE_LIMIT',
  'STOWAGE_LOG',
] as const
type Setting = (typeof SETTINGS)[number]

/** Known names whose engines or features this version does not have. */
const NOT_YET: Partial<Record<Setting, string>> = {
  STOWAGE_S3_ENDPOINT: 'this version stores on disk only; leave it unset',
  STOWAGE_S3_REGION: 'this version stores on disk only; leave it unset',
  STOWAGE_S3_PATH_STYLE: 'this version stores on disk only; leave it unset',
  STOWAGE_S3_MAX_PARTS: 'this version stores on disk only; leave it unset',
}

const MAX_SIGNED_FOR_MS = 7 * 24 * 3_600_000
const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/

/** Every problem with the settings at once, each a line that says what to set. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: string[]

  constructor(problems: string[]) {
    super(`The settings need mending:\n${problems.map((line) => `  ${line}`).join('\n')}`)
    this.problems = problems
  }
}

export type Environment = Record<string, string | undefined>

/** Pure: reads the settings, and reports all their problems together. */
export function readConfig(environment: Environment): Config {
  const problems: string[] = unknownSettings(environment)

  const read: Read = (name, parse, wants, { secret = false } = {}) => {
    const text = environment[name]
    if (text === undefined || text === '') return undefined
    const value = parse(text)
    if (value === undefined) problems.push(`${name}${secret ? '' : `=${text}`}: must be ${wants}`)
    return value
  }

  for (const [name, reason] of Object.entries(NOT_YET)) {
    if (environment[name]) problems.push(`${name}: ${reason}`)
  }
  const dataDirectory = resolve(environment.STOWAGE_DATA || './data')
  const host =
    read('STOWAGE_HOST', parseHost, 'an address to listen on, such as 127.0.0.1 or 0.0.0.0') ??
    '127.0.0.1'
  const isLocal = LOOPBACK.test(host)
  const authKind = read('STOWAGE_AUTH', oneOf(['open', 'keys']), 'open or keys')
  if (authKind === 'open' && !isLocal) {
    problems.push(
      `STOWAGE_AUTH=open: whoever reaches ${host} could do everything; set STOWAGE_AUTH=keys, or STOWAGE_HOST=127.0.0.1`,
    )
  }
  const adminKey = read('STOWAGE_ADMIN_KEY', parseAdminKey, ADMIN_KEY_WANTED, { secret: true })
  const isOpen = (authKind ?? (isLocal ? 'open' : 'keys')) === 'open'
  if (isOpen && adminKey !== undefined) {
    problems.push('STOWAGE_ADMIN_KEY: has no effect without STOWAGE_AUTH=keys; set both or neither')
  }
  read('STOWAGE_STORAGE', oneOf(['disk']), 'disk: this version has no other storage')

  const config: Config = {
    host,
    port: read('STOWAGE_PORT', parsePort, PORT) ?? 4000,
    baseUrl: read('STOWAGE_BASE_URL', parseHttpUrl, URL_WANTED),
    dataDirectory,
    database: readDatabase(read, dataDirectory),
    storage: {
      kind: 'disk',
      directory: resolve(dataDirectory, 'storage'),
      port: read('STOWAGE_STORAGE_PORT', parsePort, PORT) ?? 4001,
      url: read('STOWAGE_STORAGE_URL', parseHttpUrl, URL_WANTED),
    },
    auth: isOpen ? { kind: 'open' } : { kind: 'keys', adminKey },
    rateLimit: read('STOWAGE_RATE_LIMIT', parseCount, 'how many requests a minute, such as 600'),
    planStorage: read('STOWAGE_PLAN_STORAGE', parseSizeText, 'a size such as 500GB or 1TB'),
    chunkSize:
      read('STOWAGE_CHUNK_SIZE', parsePositiveSize, 'a size of at least 1 byte, such as 100MB') ??
      100_000_000,
    signedForMs:
      read('STOWAGE_SIGNED_FOR', parseSignedFor, 'a time from 1s to 7d, such as 12h') ??
      12 * 3_600_000,
    logLevel: read('STOWAGE_LOG', oneOf(LOG_LEVELS), `one of ${LOG_LEVELS.join(', ')}`) ?? 'info',
  }
  if (config.port !== 0 && config.port === config.storage.port) {
    problems.push(`STOWAGE_STORAGE_PORT=${config.port}: must differ from STOWAGE_PORT`)
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

/** The parsed value, or undefined when it is unset or wrong; then the problem is noted. */
type Read = <Value>(
  name: Setting,
  parse: (text: string) => Value | undefined,
  wants: string,
  options?: { secret?: boolean },
) => Value | undefined

function readDatabase(read: Read, dataDirectory: string): DatabaseConfig {
  const wants = 'sqlite, or an address such as postgres://user:password@host/database'
  const database = read('STOWAGE_DATABASE', parseDatabase, wants, { secret: true }) ?? 'sqlite'
  const poolSize = read('STOWAGE_DATABASE_POOL', parseCount, 'a number of connections, such as 10')
  const timeout = 'a time such as 10s'
  const statementTimeoutMs = read('STOWAGE_DATABASE_TIMEOUT', parseDurationText, timeout)
  const tls = read('STOWAGE_DATABASE_TLS', oneOf(['off', 'on', 'verify']), 'off, on or verify')
  if (database === 'sqlite') return { kind: 'sqlite', file: resolve(dataDirectory, 'stowage.db') }
  return {
    kind: 'postgres',
    url: database,
    poolSize: poolSize ?? 10,
    statementTimeoutMs: statementTimeoutMs ?? 10_000,
    tls: tls ?? (/[?&]sslmode=(require|verify)/.test(database) ? 'on' : 'off'),
  }
}

function parseDatabase(text: string): string | undefined {
  const isPostgres = /^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? '')
  return text === 'sqlite' || isPostgres ? text : undefined
}

function unknownSettings(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('STOWAGE_') && !SETTINGS.includes(name as Setting))
    .map((name) => `${name}: there is no such setting; did you mean ${closestOf(name, SETTINGS)}?`)
}

function oneOf<const Choice extends string>(choices: readonly Choice[]) {
  return (text: string) => choices.find((choice) => choice === text)
}

const PORT = 'a port from 0 to 65535 (0 takes any free one)'
const URL_WANTED = 'an http or https address without a query, such as https://files.example.com'

const ADMIN_KEY_WANTED =
  'at least 32 visible ASCII characters, such as the output of: openssl rand -hex 32'

function parseHost(text: string): string | undefined {
  return isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text) ? text : undefined
}

function parseAdminKey(text: string): string | undefined {
  return /^[\x21-\x7e]{32,}$/.test(text) ? text : undefined
}

function parseCount(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
}

function parsePort(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined
}

/** Without its trailing slash, so that paths can be put behind it. */
function parseHttpUrl(text: string): string | undefined {
  const url = URL.parse(text)
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username
  return isPlain ? url.href.replace(/\/+$/, '') : undefined
}

function parsePositiveSize(text: string): number | undefined {
  const size = parseSizeText(text)
  return size !== undefined && size > 0 ? size : undefined
}

function parseSignedFor(text: string): number | undefined {
  const milliseconds = parseDurationText(text)
  const isAllowed =
    milliseconds !== undefined && milliseconds >= 1000 && milliseconds <= MAX_SIGNED_FOR_MS
  return isAllowed ? milliseconds : undefined
}
