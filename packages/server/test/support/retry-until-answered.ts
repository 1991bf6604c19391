import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '@stowage/testing/machine/random'
import type { Answer } from '@stowage/testing/service/service'

/** What is asked of the service; but a part goes straight to the storage. */
export type Step =
  | 'request'
  | 'part'
  | 'resume'
  | 'complete'
  | 'cancel'
  | 'delete'
  | 'show'
  | 'list'

/** One call to one address, and what became of it. */
export interface Attempt {
  step: Step
  address: string
  startedAt: number
  /** Undefined while it is under way. */
  endedAt?: number
  /** Nothing when the connection broke, or could not be made. */
  status?: number
  code?: string
  retryAfter?: string | null
  /** Of a connection that broke. */
  failure?: string
}

export interface Insistence {
  /** Where the service is, or was until just now. */
  addresses: () => readonly [string, ...string[]]
  random: Random
  /** Every attempt is put down here as it begins. */
  attempts: Attempt[]
}

interface Call {
  step: Step
  wants: number
  /** What is also right when the answer to an earlier attempt was lost. */
  wantsAgain?: number
  at(address: string): Promise<Answer>
}

/** Longer than any outage of the tests. */
const PATIENCE_MS = 60_000
const PAUSE_MS = 100

/**
 * Calls until there is an answer, each time anywhere: again after a connection that broke and after
 * 503, as every client may that is told to. Any other answer than the one that is wanted is a fault.
 */
export async function insist(on: Insistence, call: Call): Promise<Answer> {
  const begin = performance.now()
  for (let isAgain = false; ; isAgain = true) {
    const answer = await attempt(on, call)
    const wanted = isAgain ? [call.wants, call.wantsAgain] : [call.wants]
    if (answer !== undefined && wanted.includes(answer.status)) return answer
    assert.ok(answer === undefined || answer.status === 503, describe(call, answer))
    assert.ok(performance.now() - begin < PATIENCE_MS, `no ${call.step} in ${PATIENCE_MS} ms`)
    // Not a wait for anything: this is how often a client asks.
    await pause(PAUSE_MS)
  }
}

async function attempt(on: Insistence, call: Call): Promise<Answer | undefined> {
  const address = on.random.pick(on.addresses())
  const attempted: Attempt = { step: call.step, address, startedAt: performance.now() }
  on.attempts.push(attempted)
  try {
    const answer = await call.at(address)
    attempted.status = answer.status
    attempted.code = answer.body?.code
    attempted.retryAfter = answer.headers.get('retry-after')
    return answer
  } catch (error) {
    // What fetch says when the connection could not be made, or broke in the middle of the answer.
    const isBroken = error instanceof TypeError && /fetch failed|terminated/.test(error.message)
    if (!isBroken) throw error
    attempted.failure = String(error.cause)
    return undefined
  } finally {
    attempted.endedAt = performance.now()
  }
}

function describe({ step }: Call, answer: Answer | undefined): string {
  return `${step}: ${answer?.status} ${JSON.stringify(answer?.body)}`
}
