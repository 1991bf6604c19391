import { isStowageError, isTransient, StowageError, stalled } from './errors.ts'
import {
  isOffline,
  onAbort,
  type Patience,
  pause,
  pauseBefore,
  type RetryOptions,
} from './retry-policy.ts'

/** What callers may set for one call. */
export interface CallSettings {
  signal?: AbortSignal | undefined
  /** For this call, in place of the client's: `{ tries: 1 }` never retries. */
  retry?: RetryOptions | undefined
  /** How long one try may take, in place of the client's. */
  timeoutMs?: number | undefined
}

export interface Call extends CallSettings {
  method?: string | undefined
  /** Replaces `:id` in the path. Rejects with a TypeError when it is not a UUID. */
  id?: string | undefined
  query?: Record<string, unknown> | undefined
  /** Sent as JSON. */
  body?: unknown
  headers?: Record<string, string> | undefined
  /** Carried out twice it would do harm: only what was surely refused (429, 503) is tried again. */
  isOnce?: boolean | undefined
  /**
   * Retries as long as it allows, once the service has answered at least once; left out: a few tries.
   * The caller reports successes.
   */
  patience?: Patience | undefined
  /** Told about each failure that is tried again. */
  onRetry?: ((error: StowageError) => void) | undefined
}

/** As much of a Response as a call needs. */
export interface Answer extends Pick<Response, 'ok' | 'status' | 'text'> {
  headers: Pick<Headers, 'get'>
}

export interface ExchangeInit {
  method: string
  headers: Headers
  body?: string | undefined
  signal: AbortSignal
}

/** One request and its whole answer. */
export type Exchange = (url: string, init: ExchangeInit) => Promise<Answer>

export interface RequestOptions {
  baseUrl: string
  apiKey?: string | undefined
  fetch: typeof globalThis.fetch
  /** Makes the calls of uploads in place of `fetch`. */
  exchange?: Exchange | undefined
  /** How long one try of a call may take. */
  timeoutMs: number
  retry: RetryOptions
  /** What to check when no connection was ever made; undefined: there is nothing more to say. */
  adviceFor?: ((cause: unknown) => string | undefined) | undefined
}

/** Calls the interface; paths are relative to `/api/v1`. */
export interface Request {
  /** The answer's JSON. */
  json<Result>(path: string, call?: Call): Promise<Result>
  /** What the answer's JSON has under `data`. */
  data<Data>(path: string, call?: Call): Promise<Data>
  /** The answer as it is, with its body unread. */
  response(path: string, call?: Call): Promise<Response>
}

/** So many failures in a row are enough where a connection was never made. */
export const FEW_TRIES = 5

const PAGE_ADVICE =
  'Check baseUrl, that the service is running, and that it accepts pages of this origin (CORS).'

export function createRequest(options: RequestOptions): Request {
  const { baseUrl, apiKey } = options
  /** Whether Stowage itself has ever answered. Until then the settings are the likely cause of failures. */
  let isReached = false

  /** One try, in time; whatever fails is a StowageError, or the caller's own abort. */
  async function attempt<Result>(
    url: string,
    call: Call,
    read: (answer: Answer) => Promise<Result>,
  ): Promise<Result> {
    const { method = 'GET', body, headers, signal, timeoutMs = options.timeoutMs } = call
    // Outside of the try: an API key that no header can hold is not a network failure.
    const sent = new Headers({
      ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    })
    const clock = new AbortController()
    const timer = setTimeout(() => clock.abort(), timeoutMs)
    const exchange = call.patience && options.exchange
    // An answer that is read later, as a stream, can be aborted then, too.
    const either = signal && !exchange ? AbortSignal.any([signal, clock.signal]) : clock.signal
    const forget = exchange && onAbort(signal, () => clock.abort())
    try {
      // Undefined where there is none.
      const init = { method, headers: sent, body: JSON.stringify(body), signal: either }
      const answer = await (exchange ? exchange(url, init) : options.fetch(url, init))
      if (!answer.ok) throw errorOf(answer, await answer.text())
      return await read(answer)
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      if (cause instanceof StowageError) throw cause
      if (clock.signal.aborted) throw stalled(timeoutMs)
      const advice = isReached ? '' : ` ${options.adviceFor?.(cause) ?? PAGE_ADVICE}`
      throw new StowageError('network', `No answer from ${baseUrl || 'the service'}.${advice}`, {
        cause,
      })
    } finally {
      // What is read later, as a stream, may take longer.
      clearTimeout(timer)
      forget?.()
    }
  }

  async function persist<Result>(
    path: string,
    call: Call,
    read: (answer: Answer) => Promise<Result>,
  ): Promise<Result> {
    const { patience, isOnce, onRetry, signal } = call
    const retry = { ...options.retry, ...call.retry }
    const { tries: most = FEW_TRIES } = retry
    const url = `${baseUrl}/api/v1${path.replace(':id', () => checkId(call.id))}${queryOf(call.query)}`
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await attempt(url, call, read)
        isReached = true
        return answer
      } catch (error) {
        if (!isStowageError(error)) throw error
        isReached ||= error.status > 0 && error.code !== 'bad_answer'
        if (!isTransient(error) || (isOnce && !wasRefused(error))) throw error
        const isAway = isOffline()
        // A timeout says nothing about the settings: the connection may just be slow.
        const isLasting = patience && (isReached || isAway || error.code === 'timeout')
        if (!isLasting && tries >= most) throw error
        // Tries while offline, and timeouts before the first answer, do not count.
        if (isLasting && (isAway || !isReached)) tries = 0
        if (!isLasting || !isAway) patience?.failed(error)
        onRetry?.(error)
        await pause(pauseBefore(Math.max(1, tries), retry, error.retryAfterMs), signal)
      }
    }
  }

  const json = <Result>(path: string, call: Call = {}) => persist<Result>(path, call, readJson)

  return {
    json,
    data: async <Data>(path: string, call?: Call) => (await json<{ data: Data }>(path, call)).data,
    response: (path, call = {}) => persist(path, call, async (answer) => answer as Response),
  }
}

/** Parts a query from what is meant for the call itself. */
export function splitSettings(given: Pick<Call, 'id'> & CallSettings = {}): Call {
  const { id, signal, retry, timeoutMs, ...query } = given
  return { id, signal, retry, timeoutMs, query }
}

/** The service says that it did nothing. */
function wasRefused({ status }: StowageError): boolean {
  return status === 429 || status === 503
}

const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The one place where IDs enter paths: anything but a UUID could lead to another endpoint. */
function checkId(id: unknown): string {
  const text = `${id}`
  if (ID.test(text)) return text
  throw new TypeError(`Invalid ID “${text}”. IDs are UUIDs, as the service returns them.`)
}

function queryOf(query: Record<string, unknown> = {}): string {
  // As JSON has no undefined, this leaves out what is not given.
  const given = new URLSearchParams(JSON.parse(JSON.stringify(query)))
  return given.size > 0 ? `?${given}` : ''
}

async function readJson<Result>(response: Answer): Promise<Result> {
  const text = await response.text()
  try {
    const answer = JSON.parse(text)
    // All of ours have one of these: other services speak JSON too.
    if (answer.data ?? answer.id ?? answer.deleted ?? answer.revoked) return answer
  } catch {}
  throw errorOf(response, text)
}

function errorOf({ status, headers }: Answer, text: string): StowageError {
  return errorOfAnswer(status, text, (name) => headers.get(name))
}

/** The error that an answer other than a success stands for: the service's own, or S3's XML. */
export function errorOfAnswer(
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
    if (code) return new StowageError(code, `The storage answered ${code}.`, details)
  }
  const message = `Unexpected response (HTTP ${status}). Check the base URL.`
  return new StowageError('bad_answer', message, details)
}

const LONGEST_WAIT_MS = 10 * 60_000

/** Undefined where there is none, or none that can be read. */
function readRetryAfter(header: string | null): number | undefined {
  const seconds = Number(header)
  const ms = Number.isNaN(seconds) ? Date.parse(`${header}`) - Date.now() : seconds * 1000
  return Math.min(LONGEST_WAIT_MS, Math.max(0, ms)) || undefined
}
