import { chmod, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { homeFolder, writePrivateFile } from '@stowage/client/internal/files'
import {
  createClient,
  isStowageError,
  type NodeClient,
  type StowageError,
} from '@stowage/client/node'
import { writeMessage } from './output.ts'
import { sanitize } from './terminal/sanitize.ts'
import { CommandFailed, UsageError } from './usage.ts'

/** The options of every command that uses a service. */
export const CONNECTION_OPTIONS = { url: { type: 'string' }, key: { type: 'string' } } as const

export const CONNECTION_HELP = `  --url         the URL of the service (default: STOWAGE_URL, then the saved login, then
                http://127.0.0.1:4000)
  --key         the API key (default: STOWAGE_API_KEY, then the saved login). Other users of this
                machine can see it in the process list: prefer the variable or the login`

interface ConnectionValues {
  url?: string | undefined
  key?: string | undefined
}

/** A person is waiting: an unreachable service is reported within seconds. */
const INTERACTIVE_RETRY = { firstMs: 200, longestMs: 2_000 }

export async function readConnection(options: ConnectionValues): Promise<Connection> {
  const { env } = process
  // With both options, the login is not needed, and a damaged one does no harm.
  const isComplete = options.url !== undefined && options.key !== undefined
  const login = isComplete ? undefined : await findLogin()
  return resolveConnection({ options, environment: env, login })
}

export function openClient({ url, key }: Connection): NodeClient {
  return createClient({ baseUrl: url, apiKey: key, retry: INTERACTIVE_RETRY })
}

/** Calls `work` with a client. Errors of the service become `CommandFailed`. */
export async function withClient(
  options: ConnectionValues,
  work: (client: NodeClient, connection: Connection) => Promise<number>,
): Promise<number> {
  const connection = await readConnection(options)
  try {
    return await work(openClient(connection), connection)
  } catch (error) {
    throw toCommandError(error, connection)
  }
}

/** Turns an error of the service into `CommandFailed`, and returns any other error as it is. */
export function toCommandError(error: unknown, connection: Connection): unknown {
  if (!isStowageError(error)) return error
  return new CommandFailed(explain(error, connection), { cause: error })
}

/** Describes what happened and what to do. */
export function explain(error: StowageError, { url, key }: Connection): string {
  const { code, message, errors } = error
  if (code === 'network') {
    return `${message} To use another service, run stowage login, set STOWAGE_URL or pass --url.`
  }
  if (code === 'timeout') return `${url} does not respond: ${message}`
  if (code === 'bad_response') return `${url}: ${message}`
  if (code === 'unauthenticated') {
    return key === undefined
      ? `${url} requires a key. Run stowage login, set STOWAGE_API_KEY or pass --key.`
      : `${url} rejected the key. It may be revoked. Run stowage login, set STOWAGE_API_KEY or pass --key to use another one.`
  }
  if (code === 'key_expired') {
    return `${message} Run stowage login, set STOWAGE_API_KEY or pass --key to use another one.`
  }
  const details = Object.entries(errors).flatMap(([field, problems]) =>
    problems.map((problem) => `  ${field}: ${problem}`),
  )
  // Sanitized one by one, so that the only line breaks are ours.
  return [message, ...details].map(sanitize).join('\n')
}

export function warnUnencryptedKey(url: string): void {
  writeMessage(`Note: ${url} does not use HTTPS. The key is sent unencrypted.`)
}

/** The service to call, and the key to call it with. */
export interface Connection {
  url: string
  /** Undefined for a service that needs no key. */
  key: string | undefined
}

export const DEFAULT_URL = 'http://127.0.0.1:4000'

export interface ConnectionSources {
  options: { url?: string | undefined; key?: string | undefined }
  environment: Record<string, string | undefined>
  /** The login that `stowage login` saved. */
  login: Connection | undefined
}

/**
 * Options take precedence over environment variables, and these over the login. A key is sent only to
 * the service that it was given for: the key of the login only to the URL of the login, and
 * STOWAGE_API_KEY only to STOWAGE_URL, if that is set.
 */
export function resolveConnection({ options, environment, login }: ConnectionSources): Connection {
  const { STOWAGE_URL, STOWAGE_API_KEY } = environment
  const named = options.url ?? (STOWAGE_URL || undefined)
  const url = named === undefined ? (login?.url ?? DEFAULT_URL) : parseServiceUrl(named)
  if (options.key !== undefined) return { url, key: parseKey(options.key, '--key') }
  const isForUrl = !STOWAGE_URL || parseServiceUrl(STOWAGE_URL) === url
  if (STOWAGE_API_KEY && isForUrl) {
    return { url, key: parseKey(STOWAGE_API_KEY, 'STOWAGE_API_KEY') }
  }
  return { url, key: login?.url === url ? login.key : undefined }
}

/** Returns undefined for an empty key. Throws `UsageError` for characters that no key contains. */
export function parseKey(text: string, source: string): string | undefined {
  const key = text.trim()
  if (/^[!-~]*$/.test(key)) return key || undefined
  throw new UsageError(
    `${source} is not a valid key: it contains spaces or other invalid characters. Copy the whole key.`,
  )
}

/** Normalizes the URL of a service: without the path of the API and without a trailing slash. */
export function parseServiceUrl(text: string): string {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${guessScheme(text)}://${text}`
  const url = URL.parse(withScheme)
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw new UsageError(`Invalid URL ${text}. Pass a URL such as https://files.example.com.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(
      'The URL must not contain a user name or a password. Pass a key with --key.',
    )
  }
  const path = url.pathname.replace(/(\/api\/v1)?\/*$/, '')
  return `${url.origin}${path}`
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(\/|$)/i

/** HTTPS for every host but this machine: a missing scheme must not send a key unencrypted. */
function guessScheme(host: string): 'http' | 'https' {
  return LOOPBACK.test(host) ? 'http' : 'https'
}

/** Whether the key is sent over a network without TLS. */
export function sendsKeyUnencrypted({ url, key }: Connection): boolean {
  return key !== undefined && url.startsWith('http://') && !LOOPBACK.test(url.slice(7))
}

/** The path of the saved login, in the user's configuration folder. */
export function loginFile(environment: NodeJS.ProcessEnv = process.env): string {
  const { XDG_CONFIG_HOME, APPDATA } = environment
  const base =
    process.platform === 'win32' && APPDATA
      ? APPDATA
      : XDG_CONFIG_HOME || join(homeFolder(), '.config')
  return join(base, 'stowage', 'login.json')
}

async function findLogin(path = loginFile()): Promise<Connection | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (isMissing(error)) return undefined
    throw new CommandFailed(`Cannot read ${path}: ${error.message}`)
  })
  if (text === undefined) return undefined
  try {
    const { url, key } = JSON.parse(text)
    if (typeof url === 'string' && (key === undefined || typeof key === 'string')) {
      return { url, key }
    }
  } catch {}
  throw new CommandFailed(`${path} is damaged. Run stowage login to replace it.`)
}

/** Writes the login to a file that only the user can read, in a folder that only the user can open. */
export async function writeLogin(connection: Connection, path = loginFile()): Promise<void> {
  try {
    await writePrivateFile(path, `${JSON.stringify(connection, null, 2)}\n`)
    await chmod(dirname(path), 0o700)
  } catch (error) {
    const { message } = error as Error
    throw new CommandFailed(
      `The login was not saved: cannot write ${path}: ${message}. Set STOWAGE_URL and STOWAGE_API_KEY instead.`,
    )
  }
}

/** Returns whether there was a login. */
export async function removeLogin(path = loginFile()): Promise<boolean> {
  try {
    await rm(path)
    return true
  } catch (error) {
    if (isMissing(error as NodeJS.ErrnoException)) return false
    throw error
  }
}

function isMissing({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR'
}
