import { resolve } from 'node:path'
import { parseSize } from '@stowage/protocol/format'
import {
  oneOf,
  PORT_DESCRIPTION,
  parseCount,
  parseHttpUrl,
  parsePort,
  parseStatementTimeout,
  type Setting,
  URL_DESCRIPTION,
} from './settings.ts'

export type DatabaseConfig =
  | { kind: 'sqlite'; file: string }
  | {
      kind: 'postgres'
      url: string
      poolSize: number
      statementTimeoutMs: number
      tls: 'off' | 'on' | 'verify-ca' | 'verify'
    }

export type StorageConfig =
  | {
      kind: 'disk'
      directory: string
      port: number
      url: string | undefined
      /** How many bytes of the disk must stay free. */
      reserve: number
      /** Whether Node's HTTP parser is bypassed for long request bodies. */
      fastBody: boolean
      /** Whether transfers run in their own thread. Default: true. */
      ownThread?: boolean
    }
  | {
      kind: 's3'
      bucket: string
      /** Ends with a slash, or is empty. */
      prefix: string
      endpoint: string | undefined
      region: string | undefined
      pathStyle: boolean
      maxParts: number
    }

/** S3’s lower limit for every part except the last. */
export const S3_SMALLEST_PART = 5 * 1024 * 1024
const MAX_PARTS = 10_000

/** Returns the parsed value, or undefined if it is unset or invalid. An invalid value is recorded as a problem. */
export type Read = <Value>(
  name: Setting,
  parse: (text: string) => Value | undefined,
  expected: string,
  options?: { secret?: boolean },
) => Value | undefined

export function readDatabase(read: Read, dataDirectory: string): DatabaseConfig {
  const expected = 'sqlite, or a URL such as postgres://user:password@host/database'
  const database = read('STOWAGE_DATABASE', parseDatabase, expected, { secret: true }) ?? 'sqlite'
  const poolSize = read('STOWAGE_DATABASE_POOL', parseCount, 'a number of connections, such as 10')
  const timeout = 'a duration from 1s to 1h, such as 10s'
  const statementTimeoutMs = read('STOWAGE_DATABASE_TIMEOUT', parseStatementTimeout, timeout)
  const tls = read('STOWAGE_DATABASE_TLS', oneOf(['off', 'on', 'verify']), 'off, on or verify')
  if (database === 'sqlite') return { kind: 'sqlite', file: resolve(dataDirectory, 'stowage.db') }
  const modes = `a URL whose sslmode is one of ${SSL_MODES.join(', ')}`
  const mode = read('STOWAGE_DATABASE', parseSslMode, modes, { secret: true }) ?? 'disable'
  return {
    kind: 'postgres',
    url: database,
    poolSize: poolSize ?? 10,
    statementTimeoutMs: statementTimeoutMs ?? 10_000,
    tls: tlsOf(database, tls === undefined ? mode : MODE_OF_SETTING[tls]),
  }
}

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
type SslMode = (typeof SSL_MODES)[number]
const MODE_OF_SETTING = { off: 'disable', on: 'require', verify: 'verify-full' } as const

/**
 * Returns undefined if the mode is unknown: with a misspelled one, the connection must not be unencrypted. As with libpq,
 * `ssl=true` is `sslmode=require`.
 */
function parseSslMode(url: string): SslMode | undefined {
  const { searchParams } = new URL(url)
  const text = searchParams.get('sslmode') || searchParams.get('ssl') || 'disable'
  if (text === 'true') return 'require'
  return text === 'false' ? 'disable' : oneOf(SSL_MODES)(text)
}

/**
 * `prefer` counts as `require`, and `allow` as `disable`. As with libpq, public CAs (no `sslrootcert`, or `system`) are
 * never used without comparing the host: anyone can get their certificates.
 */
function tlsOf(url: string, mode: SslMode): 'off' | 'on' | 'verify-ca' | 'verify' {
  const root = new URL(url).searchParams.get('sslrootcert')
  if (mode === 'verify-full') return 'verify'
  if (mode === 'verify-ca') return root === null || root === 'system' ? 'verify' : 'verify-ca'
  if (mode === 'require' || mode === 'prefer') return root === 'system' ? 'verify' : 'on'
  return 'off'
}

function parseDatabase(text: string): string | undefined {
  const isPostgres = /^postgres(ql)?:$/.test(URL.parse(text)?.protocol ?? '')
  return text === 'sqlite' || isPostgres ? text : undefined
}

export function readStorage(read: Read, dataDirectory: string): StorageConfig {
  const expected = 'disk, or a bucket such as s3://bucket or s3://bucket/prefix'
  const s3 = read('STOWAGE_STORAGE', parseStorage, expected)
  const port = read('STOWAGE_STORAGE_PORT', parsePort, PORT_DESCRIPTION) ?? 4001
  const url = read('STOWAGE_STORAGE_URL', parseHttpUrl, URL_DESCRIPTION)
  const reserve = read('STOWAGE_DISK_RESERVE', parseSize, 'a size such as 1GB') ?? 1_000_000_000
  const fast = read('STOWAGE_DISK_FAST_BODY', oneOf(['true', 'false']), 'true or false')
  const endpoint = read('STOWAGE_S3_ENDPOINT', parseHttpUrl, URL_DESCRIPTION)
  const region = read('STOWAGE_S3_REGION', parseRegion, 'a region such as eu-central-1')
  const pathStyle = read('STOWAGE_S3_PATH_STYLE', oneOf(['true', 'false']), 'true or false')
  const parts = `a number of parts from 1 to ${MAX_PARTS}`
  const maxParts = read('STOWAGE_S3_MAX_PARTS', parseMaxParts, parts) ?? MAX_PARTS
  if (s3 === undefined || s3 === 'disk') {
    const directory = resolve(dataDirectory, 'storage')
    return { kind: 'disk', directory, port, url, reserve, fastBody: fast !== 'false' }
  }
  // AWS gives each bucket its own host name. Other storage often does not.
  const isPathStyle = pathStyle === undefined ? endpoint !== undefined : pathStyle === 'true'
  return { kind: 's3', ...s3, endpoint, region, pathStyle: isPathStyle, maxParts }
}

function parseStorage(text: string): 'disk' | { bucket: string; prefix: string } | undefined {
  if (text === 'disk') return 'disk'
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(text)
  if (match === null) return undefined
  const [, bucket = '', path = ''] = match
  const prefix = path.replace(/^\/+|\/+$/g, '')
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` }
}

function parseRegion(text: string): string | undefined {
  return /^[a-z0-9-]{1,64}$/i.test(text) ? text : undefined
}

function parseMaxParts(text: string): number | undefined {
  const count = parseCount(text)
  return count !== undefined && count <= MAX_PARTS ? count : undefined
}
