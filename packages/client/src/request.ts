import { isStowageError, isTransient, StowageError, stalled } from './errors.ts'
import {
  type CallSettings,
  type ConnectOptions,
  type RetryOptions,
  refuseUnknown,
} from './options.ts'
import { isOffline, onAbort, pause } from './pause.ts'
import { type RetryPolicy, retryDelay, untilReached } from './retry-policy.ts'

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
  checkOptions(options, moreOptions)
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

/** Throws a TypeError that names unknown options. */
export function checkOptions(options: { retry?: object | undefined }, moreOptions: string): void {
  refuseUnknown(options, `baseUrl apiKey retry timeoutMs fetch ${moreOptions}`.trim())
  refuseUnknown(options.retry ?? {}, RETRY_OPTIONS)
}

const SETTINGS = 'signal retry timeoutMs'
export const RETRY_OPTIONS = 'tries firstMs longestMs giveUpAfterMs'
/** The fields of `Call`. The settings of a caller are spread into it, so any other field is a mistyped setting. */
const CALL_FIELDS = `method id query filters body headers isStreamed isRepeatable retryPolicy onRetry ${SETTINGS}`

/** Accepts an absolute URL, a path on the page's origin, or an empty string (the page's origin). */
function readBaseUrl(given: string): string {
  const isUrl = /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/i.test(given) && URL.canParse(given)
  if (!isUrl && !/^(\/[^/?#][^?#]*)?\/?$/.test(given)) {
    throw new TypeError(`Invalid baseUrl “${given}”. Use a URL such as https://files.example`)
  }
  return given.replace(/(\/api\/v1)?\/*$/, '')
}

export interface Call extends CallSettings {
  method?: string | undefined
  /**
   * Replaces `:id` or `:order` in the path. The call rejects with a TypeError if the ID is not a UUID, or if the order is
   * neither an ID nor a reference.
   */
  id?: string | undefined
  query?: Record<string, unknown> | undefined
  /** The names that a caller may use in the query, separated by spaces. */
  filters?: string | undefined
  /** Sent as JSON. */
  body?: unknown
  headers?: Record<string, string> | undefined
  /** The caller reads the body of the response. */
  isStreamed?: boolean | undefined
  /** False: running the call twice would do harm, so it is retried only after 429 and 503. */
  isRepeatable?: boolean | undefined
  /**
   * Decides how long to retry once the service has responded for the first time. If omitted, `retry.tries`
   * limits the attempts. The caller must report successes to the policy.
   */
  retryPolicy?: RetryPolicy | undefined
  /** Called with each failure that is retried. */
  onRetry?: ((error: StowageError) => void) | undefined
}

/** The part of a Response that a call needs. */
export interface CallResponse extends Pick<Response, 'ok' | 'status' | 'text'> {
  headers: Pick<Headers, 'get'>
}

export interface ExchangeInit {
  method: string
  headers: Headers | Record<string, string>
  body?: string | undefined
  signal: AbortSignal
}

/** Sends one request and reads the whole response. */
export interface Exchange {
  (url: string, init: ExchangeInit): Promise<CallResponse>
  /** Throws a TypeError for invalid values, as `Headers` does. */
  checkHeaders(headers: Record<string, string>): Record<string, string>
}

interface RequestOptions {
  baseUrl: string
  apiKey?: string | undefined
  fetch: typeof globalThis.fetch
  /** Makes the calls that read a whole response, instead of `fetch`. */
  exchange?: Exchange | undefined
  /** The time limit for each attempt of a call. */
  timeoutMs: number
  retry: RetryOptions
  /** Returns what to check if the service was never reached. */
  adviceFor?: ((cause: unknown) => string | undefined) | undefined
}

/** Calls the HTTP API. Paths are relative to `/api/v1`. */
export interface Request {
  /** Returns the JSON of the response. */
  json<Result>(path: string, call?: Call): Promise<Result>
  /** Returns the field `data` of the response. */
  data<Data>(path: string, call?: Call): Promise<Data>
  /** Returns the response with its body unread. */
  response(path: string, call?: Call): Promise<Response>
}

/** The number of tries if `retry.tries` is omitted, and for storage that was never reached. */
export const DEFAULT_TRIES = 5

const PAGE_ADVICE =
  'Check baseUrl, that the service is running, and that it accepts pages of this origin (CORS).'

export function createRequest(options: RequestOptions): Request {
  const { baseUrl, apiKey } = options
  /** Whether Stowage has ever responded. Until then, wrong settings are the likely cause of failures. */
  let isReached = false

  /** Tries once, within the time limit. Rejects with a StowageError or the reason of the caller's abort. */
  async function tryOnce<Result>(
    url: string,
    call: Call,
    read: (response: CallResponse) => Promise<Result>,
  ): Promise<Result> {
    const { method = 'GET', body, headers, signal, timeoutMs = options.timeoutMs } = call
    const exchange = call.isStreamed ? undefined : options.exchange
    const given = {
      ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    }
    // Outside of the try: an API key that is not a valid header is not a network failure.
    const sentHeaders = exchange ? exchange.checkHeaders(given) : new Headers(given)
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), timeoutMs)
    // The caller can still abort a response that is read later, as a stream.
    const either = signal && !exchange ? AbortSignal.any([signal, timeout.signal]) : timeout.signal
    const removeListener = exchange ? onAbort(signal, () => timeout.abort()) : undefined
    try {
      // Without a body, JSON.stringify returns undefined.
      const init = { method, headers: sentHeaders, body: JSON.stringify(body), signal: either }
      const response = await (exchange ? exchange(url, init) : options.fetch(url, init))
      if (!response.ok) throw errorOf(response, await response.text())
      return await read(response)
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      if (cause instanceof StowageError) throw cause
      if (timeout.signal.aborted) throw stalled(timeoutMs)
      const advice = isReached ? '' : ` ${options.adviceFor?.(cause) ?? PAGE_ADVICE}`
      throw new StowageError('network', `No response from ${baseUrl || 'the service'}.${advice}`, {
        cause,
      })
    } finally {
      // A body that is read later, as a stream, has no time limit.
      clearTimeout(timer)
      removeListener?.()
    }
  }

  async function callWithRetries<Result>(
    path: string,
    call: Call,
    read: (response: CallResponse) => Promise<Result>,
  ): Promise<Result> {
    const { retryPolicy, isRepeatable = true, onRetry, signal } = call
    refuseUnknown(call, CALL_FIELDS)
    refuseUnknown(call.retry ?? {}, RETRY_OPTIONS)
    if (call.filters !== undefined) {
      refuseUnknown(call.query ?? {}, `${call.filters} ${SETTINGS}`.trim(), 'filter')
    }
    const retry = { ...options.retry, ...call.retry }
    const { tries: maxTries = DEFAULT_TRIES } = retry
    const named = path.replace(/:id|:order/, (name) =>
      name === ':id' ? checkId(call.id) : encodeReference(call.id),
    )
    const url = `${baseUrl}/api/v1${named}${queryOf(call.query)}`
    for (let tries = 1; ; tries += 1) {
      try {
        const result = await tryOnce(url, call, read)
        isReached = true
        return result
      } catch (error) {
        if (!isStowageError(error)) throw error
        isReached ||= error.status > 0 && error.code !== 'bad_response'
        if (!isTransient(error) || (!isRepeatable && !wasRefused(error))) throw error
        const isOfflineNow = isOffline()
        // A timeout does not mean that the settings are wrong: the connection may just be slow.
        const isByPolicy = retryPolicy && (isReached || isOfflineNow || error.code === 'timeout')
        if (!isByPolicy && tries >= maxTries) throw error
        // Tries while offline, and timeouts before the first response, do not count.
        if (isByPolicy && (isOfflineNow || !isReached)) tries = 0
        if (!isByPolicy || !isOfflineNow) retryPolicy?.failed(error)
        onRetry?.(error)
        const isUnreached = !isReached && error.code === 'network'
        const delays = isUnreached ? untilReached(retry) : retry
        await pause(retryDelay(Math.max(1, tries), delays, error.retryAfterMs), signal)
      }
    }
  }

  const json = <Result>(path: string, call: Call = {}) =>
    callWithRetries<Result>(path, call, readJson)

  return {
    json,
    data: async <Data>(path: string, call?: Call) => (await json<{ data: Data }>(path, call)).data,
    response: (path, call = {}) =>
      callWithRetries(
        path,
        { ...call, isStreamed: true },
        async (response) => response as Response,
      ),
  }
}

/** Separates the settings of the call from the query, which may have these names. */
export function splitSettings(filters: string, given: Pick<Call, 'id'> & CallSettings = {}): Call {
  const { id, signal, retry, timeoutMs, ...query } = given
  return { id, signal, retry, timeoutMs, query, filters }
}

/** Whether the service reports that it did nothing. */
function wasRefused({ status }: StowageError): boolean {
  return status === 429 || status === 503
}

const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Throws a TypeError if it is not a UUID: in a path, other text could lead to another endpoint. */
export function checkId(id: unknown): string {
  const text = `${id}`
  if (ID.test(text)) return text
  throw new TypeError(`Invalid ID “${text}”. IDs are UUIDs, as the service returns them.`)
}

/** Throws a TypeError for text that is no reference: URLs drop a segment `.` or `..`, which leads to another endpoint. */
function encodeReference(reference: unknown): string {
  const text = `${reference ?? ''}`
  if (/^(?!\.{0,2}$)\P{Cs}{1,100}$/su.test(text)) return encodeURIComponent(text)
  throw new TypeError(`Invalid order “${text}”. Pass its ID, or your reference of the order.`)
}

function queryOf(query: Record<string, unknown> = {}): string {
  // Through JSON, which drops undefined values.
  const given = new URLSearchParams(JSON.parse(JSON.stringify(query)))
  return given.size > 0 ? `?${given}` : ''
}

async function readJson<Result>(response: CallResponse): Promise<Result> {
  const text = await response.text()
  try {
    const content = JSON.parse(text)
    // Every response of Stowage has one of these fields. Other services send JSON, too.
    if (content.data ?? content.id ?? content.url ?? content.deleted ?? content.revoked)
      return content
  } catch {}
  throw errorOf(response, text)
}

function errorOf({ status, headers }: CallResponse, text: string): StowageError {
  return errorOfResponse(status, text, (name) => headers.get(name))
}

/** Reads the error of an unsuccessful response: JSON of the service or XML of S3. */
export function errorOfResponse(
  status: number,
  body: string,
  header: (name: string) => string | null,
): StowageError {
  const requestId = header('x-request-id') ?? undefined
  const details = { status, requestId, retryAfterMs: readRetryAfter(header('retry-after')) }
  try {
    const { message, code, errors, ...facts } = JSON.parse(body)
    if (typeof code === 'string') {
      return new StowageError(code, String(message), { ...details, errors, facts })
    }
  } catch {
    const code = /<Code>(\w+)<\/Code>/.exec(body)?.[1]
    if (code) return new StowageError(code, `The storage reported ${code}.`, details)
  }
  const message = `Unexpected response (HTTP ${status}). Check the base URL.`
  return new StowageError('bad_response', message, details)
}

const MAX_WAIT_MS = 10 * 60_000

/** Undefined if the header is missing or malformed. */
function readRetryAfter(header: string | null): number | undefined {
  const seconds = Number(header)
  const ms = Number.isNaN(seconds) ? Date.parse(`${header}`) - Date.now() : seconds * 1000
  return Math.min(MAX_WAIT_MS, Math.max(0, ms)) || undefined
}
