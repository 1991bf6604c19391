import type { ConnectOptions } from './options.ts'
import { createRequest, type Request, type RequestOptions } from './request.ts'

export interface Connection {
  /** Without a trailing slash. Empty: the origin of the page. */
  baseUrl: string
  request: Request
}

export interface ConnectPlatform {
  /** The names of accepted options other than those of `ConnectOptions`, separated by spaces. */
  moreOptions?: string | undefined
  adviceFor?: RequestOptions['adviceFor']
  /** Makes the calls that read a whole response, unless the caller passes a `fetch`. */
  exchange?: RequestOptions['exchange']
}

/** Makes no request. Throws a TypeError for invalid options. */
export function connect(
  options: ConnectOptions,
  { moreOptions = '', adviceFor, exchange }: ConnectPlatform = {},
): Connection {
  refuseUnknown(options, `baseUrl apiKey retry timeoutMs fetch ${moreOptions}`)
  refuseUnknown(options.retry ?? {}, 'tries firstMs longestMs giveUpAfterMs')
  const baseUrl = readBaseUrl(options.baseUrl ?? '')
  const request = createRequest({
    baseUrl,
    apiKey: options.apiKey,
    // Browsers require fetch to be called on the global object.
    fetch: options.fetch ?? ((...input) => globalThis.fetch(...input)),
    exchange: options.fetch ? undefined : exchange,
    timeoutMs: options.timeoutMs ?? 60_000,
    retry: options.retry ?? {},
    adviceFor,
  })
  return { baseUrl, request }
}

/** A mistyped option would otherwise be ignored. */
function refuseUnknown(options: object, known: string): void {
  for (const name of Object.keys(options)) {
    if (!known.split(' ').includes(name)) {
      throw new TypeError(`Unknown option “${name}”. Known options: ${known}`)
    }
  }
}

/** Accepts an absolute URL, a path on the page's origin, or an empty string (the page's origin). */
function readBaseUrl(given: string): string {
  const isUrl = /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/i.test(given) && URL.canParse(given)
  if (!isUrl && !/^(\/[^/?#][^?#]*)?\/?$/.test(given)) {
    throw new TypeError(`Invalid baseUrl “${given}”. Use a URL such as https://files.example`)
  }
  return given.replace(/(\/api\/v1)?\/*$/, '')
}
