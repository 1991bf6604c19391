import type { Event, ListEventsQuery } from '@stowage/protocol'
import { isTransient, StowageError, stalled } from './errors.ts'
import { type CallSettings, type RetryOptions, refuseUnknown } from './options.ts'
import { pause } from './pause.ts'
import { DEFAULT_TRIES, type Request } from './request.ts'
import { createRetryPolicy, retryDelay, untilReached } from './retry-policy.ts'

/** A change of the account’s data, and who made it. */
export type StowageEvent = Event

/** The options of `events`. */
export interface EventsOptions extends CallSettings {
  /**
   * Starts after the event with this ID; 0 starts with the first one. Rejects with `events_forgotten` if events
   * after this ID have already been removed, and with `events_reset` if the service does not have this event, because
   * its database was restored from a backup. Load the current state then, and continue after `last_id` of the
   * error’s `facts`. Default: only new events.
   */
  after?: number | undefined
  /** Only events of these types, separated by commas. */
  type?: ListEventsQuery['type'] | undefined
  /** Called whenever the stream is connected, again after each failure, with the ID after which it continues. */
  onOpen?: ((after: number) => void) | undefined
}

/** Three times the interval of 15 seconds at which the service sends at least its position. */
const STALL_MS = 45_000

/** Yields every event once, in order. After a failure it connects again and continues. */
export async function* followEvents(
  request: Request,
  { onOpen, ...options }: EventsOptions,
  clientRetry: RetryOptions,
): AsyncGenerator<StowageEvent> {
  refuseUnknown(options, 'after type signal retry timeoutMs')
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
    const delays = isReached ? retry : untilReached(retry)
    await pause(retryDelay(failures, delays, retryAfterMs), signal)
  }
}

function bodyOf(response: Response): ReadableStream<Uint8Array> {
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream') && response.body !== null) return response.body
  // The response is not from Stowage. It may be the login page of a public network.
  response.body?.cancel().catch(() => {})
  const { status } = response
  throw new StowageError('bad_response', 'Unexpected response. Check the base URL.', { status })
}

/** A message of an event stream. Without `data`, it only states the position in the stream. */
export interface StreamMessage {
  id: string | undefined
  data: string | undefined
}

/**
 * Parses `text/event-stream`. A message that is cut off at the end is dropped: the next connection gets it again.
 * Rejects if nothing arrives for `stallMs`: the service sends something every 15 seconds.
 */
export async function* readMessages(
  body: ReadableStream<Uint8Array>,
  stallMs: number,
): AsyncGenerator<StreamMessage> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  let message: StreamMessage = { id: undefined, data: undefined }
  try {
    for (;;) {
      const { done, value } = await readWithin(reader, stallMs)
      if (done) return
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r?\n/)
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line !== '') addLine(message, line)
        else {
          if (message.id !== undefined || message.data !== undefined) yield message
          message = { id: undefined, data: undefined }
        }
      }
    }
  } finally {
    // Also ends the request if the caller stops reading.
    reader.cancel().catch(() => {})
  }
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation */
function addLine(message: StreamMessage, line: string): void {
  const [, field, value = ''] = /^([^:]+)(?:: ?(.*))?$/s.exec(line) ?? []
  if (field === 'id') message.id = value
  if (field === 'data')
    message.data = message.data === undefined ? value : `${message.data}\n${value}`
}

async function readWithin(reader: ReadableStreamDefaultReader<Uint8Array>, stallMs: number) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(stalled(stallMs)), stallMs)
  })
  const reading = reader.read().catch((cause: unknown) => {
    throw new StowageError('network', 'The connection was lost.', { cause })
  })
  try {
    return await Promise.race([reading, timeout])
  } finally {
    clearTimeout(timer)
  }
}
