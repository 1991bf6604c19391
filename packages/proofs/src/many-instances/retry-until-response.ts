import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '@stowage/testing/machine/random'
import type { JsonResponse } from '@stowage/testing/service/service'

/** The kind of request. Parts go directly to the storage, all others to the service. */
export type Step =
  | 'request'
  | 'part'
  | 'resume'
  | 'complete'
  | 'cancel'
  | 'delete'
  | 'show'
  | 'list'

/** One request and its outcome. */
export interface Attempt {
  step: Step
  /** The instance that was chosen. A part is not sent to it, but to the storage. */
  baseUrl: string
  startedAt: number
  /** Undefined while the request is in progress. */
  endedAt?: number
  /** Undefined when the connection failed. */
  status?: number
  code?: string
  retryAfter?: string | null
  /** Why the connection failed. */
  failure?: string
}

export interface RetryOptions {
  /** The base URLs of the instances. Some may have been stopped. */
  baseUrls: () => readonly [string, ...string[]]
  random: Random
  /** Every attempt is added here when it starts. */
  attempts: Attempt[]
}

interface Call {
  step: Step
  expected: number
  /** A status that is also correct when the response to an earlier attempt was lost. */
  expectedOnRetry?: number
  send(baseUrl: string): Promise<JsonResponse>
}

/** Longer than any outage in the tests. */
const RETRY_FOR_MS = 60_000
const PAUSE_MS = 100

/**
 * Sends the request to a random instance until one responds. Retries after a connection failure and
 * after 503, as the documentation requires of clients. Any other unexpected status fails the test.
 */
export async function retryUntilResponse(options: RetryOptions, call: Call): Promise<JsonResponse> {
  const begin = performance.now()
  for (let isRetry = false; ; isRetry = true) {
    const response = await attempt(options, call)
    const expected = isRetry ? [call.expected, call.expectedOnRetry] : [call.expected]
    if (response !== undefined && expected.includes(response.status)) return response
    assert.ok(response === undefined || response.status === 503, describe(call, response))
    assert.ok(performance.now() - begin < RETRY_FOR_MS, `no ${call.step} in ${RETRY_FOR_MS} ms`)
    // The interval between two attempts; it waits for no particular event.
    await pause(PAUSE_MS)
  }
}

async function attempt(options: RetryOptions, call: Call): Promise<JsonResponse | undefined> {
  const baseUrl = options.random.pick(options.baseUrls())
  const attempted: Attempt = { step: call.step, baseUrl, startedAt: performance.now() }
  options.attempts.push(attempted)
  try {
    const response = await call.send(baseUrl)
    attempted.status = response.status
    attempted.code = response.body?.code
    attempted.retryAfter = response.headers.get('retry-after')
    return response
  } catch (error) {
    // fetch throws these when it cannot connect, or when the connection breaks during the response.
    const isBroken = error instanceof TypeError && /fetch failed|terminated/.test(error.message)
    if (!isBroken) throw error
    attempted.failure = String(error.cause)
    return undefined
  } finally {
    attempted.endedAt = performance.now()
  }
}

function describe({ step }: Call, response: JsonResponse | undefined): string {
  return `${step}: ${response?.status} ${JSON.stringify(response?.body)}`
}
