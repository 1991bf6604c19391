import { isTransient, StowageError } from '../errors.ts'
import type { RetryOptions } from '../options.ts'
import { pause } from '../pause.ts'
import { DEFAULT_TRIES, type Request } from '../request.ts'
import { createRetryPolicy, retryDelay } from '../retry-policy.ts'
import { readMessages } from './read-messages.ts'
import type { EventsOptions, StowageEvent } from './types.ts'

/** Three times the interval of 15 seconds at which the service sends at least its position. */
const STALL_MS = 45_000

/** Yields every event once, in order. After a failure it connects again and continues. */
export async function* followEvents(
  request: Request,
  { onOpen, ...options }: EventsOptions,
  clientRetry: RetryOptions,
): AsyncGenerator<StowageEvent> {
  const { type, signal } = options
  const retry = { ...clientRetry, ...options.retry }
  const policy = createRetryPolicy(retry)
  let { after } = options
  let isReached = false
  for (let failures = 0; ; ) {
    let retryAfterMs: number | undefined
    try {
      const response = await request.response('/events', {
        signal,
        timeoutMs: options.timeoutMs,
        query: { after, type },
        headers: { Accept: 'text/event-stream' },
        retry: { tries: 1 },
      })
      let isOpen = false
      for await (const { id, data } of readMessages(bodyOf(response), STALL_MS)) {
        if (id !== undefined) after = Number(id)
        failures = 0
        policy.succeeded()
        if (!isOpen && after !== undefined) onOpen?.(after)
        isOpen = true
        isReached = true
        if (data !== undefined) yield JSON.parse(data)
      }
      // The service has closed the stream, for example to restart.
      signal?.throwIfAborted()
    } catch (error) {
      signal?.throwIfAborted()
      if (!isTransient(error)) throw error
      if (!isReached && failures + 1 >= (retry.tries ?? DEFAULT_TRIES)) throw error
      policy.failed(error)
      retryAfterMs = error.retryAfterMs
    }
    failures += 1
    await pause(retryDelay(failures, retry, retryAfterMs), signal)
  }
}

function bodyOf(response: Response): ReadableStream<Uint8Array> {
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream') && response.body !== null) return response.body
  // The response is not from Stowage. It may be the login page of a public network.
  response.body?.cancel().catch(() => {})
  const { status } = response
  throw new StowageError('bad_answer', 'Unexpected response. Check the base URL.', { status })
}
