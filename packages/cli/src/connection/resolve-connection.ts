import { UsageError } from '../usage.ts'

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
