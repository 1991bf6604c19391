import assert from 'node:assert/strict'
import type { Harness } from '../interleavings/harness.ts'
import {
  checkState,
  deleteEverything,
  expireUnknown,
  idsOf,
  operatorOf,
  prepare,
  responseText,
  withoutUnrecorded,
} from '../interleavings/run-interleaving.ts'
import { interruptedEvents, type TestCase } from '../interleavings/test-cases.ts'
import { openClients } from '../model/clients.ts'
import type { Command } from '../model/commands.ts'
import { linearize } from '../model/linearize.ts'
import { type Event, NO_RESPONSE, type Observation } from '../model/observation.ts'

export interface Fault {
  /** Starts the fault. `id` is the upload of the call. */
  begin(id: string): Promise<void> | void
  end(): Promise<void> | void
  /** Whether the fault allows this response, in addition to errors that can be retried. */
  allows?(seen: Observation): boolean
  /** Unfinished uploads may expire because of the fault. */
  mayExpire?: boolean
  /** Runs jobs again after the fault, as the schedule does, because the fault may have made them fail. */
  repeatsJobs?: boolean
  /** Another check at the end. `ids` are the uploads that clients know. */
  check?(ids: string[]): Promise<void>
}

/** The responses to a call, as text. */
export interface Responses {
  duringFault: string
  afterFault: string
}

/** Errors after which the client can retry, in some cases only after freeing space. */
const RETRYABLE_CODES = ['storage_unavailable', 'database_unavailable', 'storage_full']

/**
 * Makes a call during a fault, and again after it. Then runs the jobs, without a restart. Fails if a response is
 * incorrect, or if the final state is not the one that the responses promise.
 */
export async function runWithFault(
  harness: Harness,
  testCase: TestCase,
  fault: Fault,
): Promise<Responses> {
  harness.issued.length = 0
  const clients = openClients(harness.account, operatorOf(harness))
  const start = await prepare(harness, clients, testCase)
  const isJob = testCase.call.kind === 'job' || testCase.call.kind === 'expire'
  try {
    await fault.begin(start.id)
    let during: Event[]
    let hasJobFailed = false
    try {
      const call = clients.perform(testCase.call, 3)
      // The service logs a job that fails, and runs it again later.
      const onFailure = () => {
        hasJobFailed = true
        return [withoutResponse(testCase.call, start.id)]
      }
      during = isJob ? await call.catch(onFailure) : await call
    } finally {
      await fault.end()
    }
    const again = isJob && !fault.repeatsJobs ? [] : await clients.perform(testCase.call, 0)
    const interrupted = interruptedEvents(testCase, start.model)
    const events = [...during.map((event) => allowedBy(event, fault)), ...again, ...interrupted]
    if (fault.mayExpire)
      events.push(...expiriesOf([start.id, ...events.map(({ seen }) => seen.id)]))
    const models = linearize([start.model], events)
    assert.ok(
      models.length > 0,
      `no order of the calls explains the responses: ${JSON.stringify([...during, ...events])}`,
    )
    await expireUnknown(harness, harness.issued, models)
    await checkState(harness, models, withoutUnrecorded)
    await fault.check?.(idsOf(models))
    return {
      duringFault: hasJobFailed ? 'job failed' : responseText(during),
      afterFault: responseText(again),
    }
  } finally {
    await deleteEverything(harness)
  }
}

function expiriesOf(ids: (string | undefined)[]): Event[] {
  const known = ids.filter((id) => id !== undefined && id !== '')
  return [...new Set(known)].map((id) => withoutResponse({ kind: 'expire', upload: 0 }, id))
}

function withoutResponse(command: Command, id: string | undefined): Event {
  return {
    client: 3,
    command,
    seen: { status: NO_RESPONSE, ...(id !== undefined && { id }), code: 'expired' },
  }
}

/** A call that failed because of the fault may have taken effect or not: its client has to retry. */
function allowedBy(event: Event, fault: Fault): Event {
  const { command, seen } = event
  // A job does as much as it can, and the rest in its next run.
  if (command.kind === 'expire') {
    return { ...event, seen: { ...seen, status: NO_RESPONSE, code: 'expired' } }
  }
  const isAllowed = RETRYABLE_CODES.includes(seen.code ?? '') || fault.allows?.(seen)
  if (!isAllowed) return event
  return { ...event, seen: { ...seen, status: NO_RESPONSE } }
}
