import type { ClientOptions } from './create-client.ts'
import { createRequest, type Request, type RequestOptions } from './request.ts'

export type ConnectOptions = Pick<
  ClientOptions,
  'baseUrl' | 'apiKey' | 'retry' | 'timeoutMs' | 'fetch'
>

export interface Connection {
  /** Without a slash at its end; empty: of the page itself. */
  baseUrl: string
  request: Request
}

export interface ConnectPlatform {
  /** The names of the options beside `ConnectOptions`, separated by spaces. */
  moreOptions?: string | undefined
  adviceFor?: RequestOptions['adviceFor']
  /** Makes the calls of uploads, unless the caller gives a `fetch`. */
  exchange?: RequestOptions['exchange']
}

/** Makes no request yet. Throws a TypeError for options that cannot work. */
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
    // Called as a function of the page, as browsers insist.
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

/** An absolute URL, a path of the page's own host, or nothing: the page's own host. */
function readBaseUrl(given: string): string {
  const isUrl = /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/i.test(given) && URL.canParse(given)
  if (!isUrl && !/^(\/[^/?#][^?#]*)?\/?$/.test(given)) {
    throw new TypeError(`Invalid baseUrl “${given}”. Use a URL such as https://files.example`)
  }
  return given.replace(/(\/api\/v1)?\/*$/, '')
}
