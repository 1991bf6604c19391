import { isTransient, StowageError, stalled } from './errors.ts'
import { isOffline, type Patience, pause, pauseBefore, type RetryOptions } from './patience.ts'

export interface Call {
  method?: string | undefined
  query?: Record<string, unknown> | undefined
  /** Sent as JSON. */
  body?: unknown
  headers?: Record<string, string> | undefined
  signal?: AbortSignal | undefined
  /** Carried out twice it would do harm: only what was surely refused (429, 503) is tried again. */
  isOnce?: boolean | undefined
  /** Goes on as long as it allows; left out: a few tries. What succeeds is for the caller to say. */
  patience?: Patience | undefined
  /** Told about each failure that is tried again. */
  onRetry?: ((error: StowageError) => void) | undefined
}

export interface RequestOptions {
  baseUrl: string
  apiKey?: string | undefined
  fetch: typeof globalThis.fetch
  /** How long one try of a call may take. */
  timeoutMs: number
  retry: RetryOptions
}

/** Calls the interface; paths are relative to `/api/v1`. */
export interface Request {
  /** The answer's JSON. */
  json<Answer>(path: string, call?: Call): Promise<Answer>
  /** What the answer's JSON has under `data`. */
  data<Data>(path: string, call?: Call): Promise<Data>
  /** The answer as it is, with its body unread. */
  response(path: string, call?: Call): Promise<Response>
}

const FEW_TRIES = 5

export function createRequest(options: RequestOptions): Request {
  const { baseUrl, apiKey, retry } = options

  /** One try, in time; whatever fails is a StowageError, or the caller's own abort. */
  async function attempt<Answer>(
    path: string,
    call: Call,
    read: (response: Response) => Promise<Answer>,
  ): Promise<Answer> {
    const { method = 'GET', query = {}, body, headers, signal } = call
    // Out of the try: what no header can hold is no failure of the line.
    const sent = new Headers({
      ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    })
    const clock = new AbortController()
    const timer = setTimeout(() => clock.abort(), options.timeoutMs)
    const either = signal ? AbortSignal.any([signal, clock.signal]) : clock.signal
    try {
      const response = await options.fetch(`${baseUrl}/api/v1${path}${queryOf(query)}`, {
        method,
        headers: sent,
        // Undefined where there is none.
        body: JSON.stringify(body),
        signal: either,
      })
      if (!response.ok) throw errorOf(response, await response.text())
      return await read(response)
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (error instanceof StowageError) throw error
      if (clock.signal.aborted) throw stalled(options.timeoutMs)
      throw new StowageError('network', 'The service is out of reach.', { cause: error })
    } finally {
      // What is read later, as a stream, may take longer.
      clearTimeout(timer)
    }
  }

  async function persist<Answer>(
    path: string,
    call: Call,
    read: (response: Response) => Promise<Answer>,
  ): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt(path, call, read)
      } catch (error) {
        const mayAgain = isTransient(error) && (!call.isOnce || wasRefused(error))
        if (!mayAgain || (call.patience === undefined && tries === FEW_TRIES)) throw error
        if (!isOffline()) call.patience?.failed(error)
        call.onRetry?.(error)
        await pause(pauseBefore(tries, retry, error.retryAfterMs), call.signal)
      }
    }
  }

  const json = <Answer>(path: string, call: Call = {}) => persist<Answer>(path, call, readJson)

  return {
    json,
    data: async <Data>(path: string, call?: Call) => (await json<{ data: Data }>(path, call)).data,
    response: (path, call = {}) => persist(path, call, async (response) => response),
  }
}

/** The service says that it did nothing. */
function wasRefused({ status }: StowageError): boolean {
  return status === 429 || status === 503
}

function queryOf(query: Record<string, unknown>): string {
  // As JSON has no undefined, this leaves out what is not given.
  const given = new URLSearchParams(JSON.parse(JSON.stringify(query)))
  return given.size > 0 ? `?${given}` : ''
}

async function readJson<Answer>(response: Response): Promise<Answer> {
  const text = await response.text()
  try {
    const answer = JSON.parse(text)
    // All of ours have one of these: other services speak JSON too.
    if (answer.data ?? answer.id ?? answer.deleted ?? answer.revoked) return answer
  } catch {}
  throw errorOf(response, text)
}

function errorOf({ status, headers }: Response, text: string): StowageError {
  return errorOfAnswer(status, text, (name) => headers.get(name))
}

/** The error that an answer other than a success stands for: the service's own, or S3's XML. */
export function errorOfAnswer(
  status: number,
  body: string,
  header: (name: string) => string | null,
): StowageError {
  const retryAfterMs = readRetryAfter(header('retry-after'))
  try {
    const { message, code, errors, ...facts } = JSON.parse(body)
    if (typeof code === 'string') {
      return new StowageError(code, String(message), { status, errors, facts, retryAfterMs })
    }
  } catch {
    const code = /<Code>(\w+)<\/Code>/.exec(body)?.[1]
    if (code)
      return new StowageError(code, `The storage answered ${code}.`, { status, retryAfterMs })
  }
  const message = `That is not Stowage, with status ${status}.`
  return new StowageError('bad_answer', message, { status, retryAfterMs })
}

const LONGEST_WAIT_MS = 10 * 60_000

/** Undefined where there is none, or none that can be read. */
function readRetryAfter(header: string | null): number | undefined {
  const seconds = Number(header)
  const ms = Number.isNaN(seconds) ? Date.parse(`${header}`) - Date.now() : seconds * 1000
  return Math.min(LONGEST_WAIT_MS, Math.max(0, ms)) || undefined
}
