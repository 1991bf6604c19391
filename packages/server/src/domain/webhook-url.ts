import { isIP } from 'node:net'
import { isPublicAddress } from './is-public-address.ts'
import { problemWithLinkUrl } from './link-url.ts'

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
