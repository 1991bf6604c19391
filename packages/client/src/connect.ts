import type { ClientOptions } from './client.ts'
import { createRequest, type Request } from './request.ts'

export type ConnectOptions = Pick<
  ClientOptions,
  'baseUrl' | 'apiKey' | 'retry' | 'timeoutMs' | 'fetch'
>

export interface Connection {
  /** Without a slash at its end; empty: of the page itself. */
  baseUrl: string
  request: Request
}

/** Nothing is asked yet. */
export function connect(options: ConnectOptions): Connection {
  const baseUrl = (options.baseUrl ?? '').replace(/(\/api\/v1)?\/*$/, '')
  const request = createRequest({
    baseUrl,
    apiKey: options.apiKey,
    // Called as a function of the page, as browsers insist.
    fetch: options.fetch ?? ((...input) => globalThis.fetch(...input)),
    timeoutMs: options.timeoutMs ?? 60_000,
    retry: options.retry ?? {},
  })
  return { baseUrl, request }
}
