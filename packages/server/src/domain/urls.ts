import { isIP } from 'node:net'
import { isPublicAddress } from './addresses.ts'

const MAX_URL_LENGTH = 2048

/** What is wrong with the URL of a link, as a clause for the error message; undefined if it is valid. */
export function problemWithLinkUrl(text: string): string | undefined {
  if (text.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`
  // The parser would silently remove surrounding spaces and line breaks.
  if (/[\s\p{Cc}]/u.test(text) || !text.isWellFormed()) {
    return 'must not have spaces or control characters: percent-encode them'
  }
  // The parser also accepts https:a.zip and https:\\host.
  if (!/^https?:\/\/[^/\\]/i.test(text) || text.includes('\\')) {
    return 'must begin with http:// or https://, and have no backslash'
  }
  const url = URL.parse(text)
  if (url === null) return 'must be a complete URL, such as https://example.com/file.zip'
  if (url.username !== '' || url.password !== '') {
    return 'must not contain a user name or password'
  }
  return undefined
}

/** What is wrong with the URL of a webhook, as a clause for the error message; undefined if it is valid. */
export function problemWithWebhookUrl(text: string): string | undefined {
  const hasFragment = text.includes('#')
  return problemWithLinkUrl(text) ?? (hasFragment ? 'must not have a fragment (#…)' : undefined)
}

/** Whether the host is `localhost` or an address that is not public. Other names are checked when they are resolved. */
export function isPrivateUrl(text: string): boolean {
  const host = new URL(text).hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return !isPublicAddress(host)
  return /(^|\.)localhost\.?$/i.test(host)
}

/** The origin of a page, as browsers send it in `Origin`. Undefined if the text is not the URL of an origin. */
export function parseOrigin(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined
  // Refuse a path, a query or a fragment: it would be ignored without notice.
  return url.href === `${url.origin}/` && !/[?#]/.test(text) ? url.origin : undefined
}
