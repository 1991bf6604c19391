import { UsageError } from '../usage.ts'

/** Which service to talk to, and as whom. */
export interface Connection {
  url: string
  /** Undefined: the service is open. */
  key: string | undefined
}

export const DEFAULT_URL = 'http://127.0.0.1:4000'

export interface ConnectionSources {
  options: { url?: string | undefined; key?: string | undefined }
  environment: Record<string, string | undefined>
  /** What `stowage login` has kept. */
  login: Connection | undefined
}

/**
 * Options come before variables, variables before the login. A key goes only to the service that it
 * was given for: the login's never to another address, nor that of the variables when they name
 * another one.
 */
export function resolveConnection({ options, environment, login }: ConnectionSources): Connection {
  const { STOWAGE_URL, STOWAGE_API_KEY } = environment
  const named = options.url ?? (STOWAGE_URL || undefined)
  const url = named === undefined ? (login?.url ?? DEFAULT_URL) : parseServiceUrl(named)
  if (options.key !== undefined) return { url, key: parseKey(options.key, '--key') }
  const isOfVariables = !STOWAGE_URL || parseServiceUrl(STOWAGE_URL) === url
  if (STOWAGE_API_KEY && isOfVariables) {
    return { url, key: parseKey(STOWAGE_API_KEY, 'STOWAGE_API_KEY') }
  }
  return { url, key: login?.url === url ? login.key : undefined }
}

/** Nothing is the key of an open service. What no key can have in it is told here, not by a service. */
export function parseKey(text: string, source: string): string | undefined {
  const key = text.trim()
  if (/^[!-~]*$/.test(key)) return key || undefined
  throw new UsageError(`${source} is no key: it has spaces, or characters that no key has`)
}

/** The address as it is kept and compared: no path of the interface, no slash at the end. */
export function parseServiceUrl(text: string): string {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${guessScheme(text)}://${text}`
  const url = URL.parse(withScheme)
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw new UsageError(`${text}: must be an address such as https://files.example.com`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('the address must not have a user name or a password; a key goes in --key')
  }
  const path = url.pathname.replace(/(\/api\/v1)?\/*$/, '')
  return `${url.origin}${path}`
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(\/|$)/i

/** Other machines are not told a key in the clear just because nobody typed `https`. */
function guessScheme(address: string): 'http' | 'https' {
  return LOOPBACK.test(address) ? 'http' : 'https'
}

/** Whether anybody on the way could read the key. */
export function sendsKeyUnencrypted({ url, key }: Connection): boolean {
  return key !== undefined && url.startsWith('http://') && !LOOPBACK.test(url.slice(7))
}
