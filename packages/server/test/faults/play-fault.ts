import assert from 'node:assert/strict'
import type { Harness } from '../interleavings/harness.ts'
import {
  checkState,
  deleteEverything,
  operatorOf,
  prepare,
  responseText,
} from '../interleavings/run-interleaving.ts'
import { interruptedEvents, type TestCase } from '../interleavings/test-cases.ts'
import { expireUnknown, idsOf, withoutUnrecorded } from '../interleavings/unknown-uploads.ts'
import { openClients } from '../model/clients.ts'
import type { Command } from '../model/commands.ts'
import { linearize } from '../model/linearize.ts'
import { type Event, NO_RESPONSE, type Observation } from '../model/observation.ts'

export interface Fault {
  /** From then on things go wrong for the upload with this ID. */
  begin(id: string): Promise<void> | void
  end(): Promise<void> | void
  /** Answers that the fault excuses, beside those that say to try again. */
  excuses?(seen: Observation): boolean
  /** Unfinished uploads may expire because of the fault. */
  mayExpire?: boolean
  /** Jobs run again after the fault as the schedule would, because the fault may have kept them from their work. */
  repeatsJobs?: boolean
  /** Another check at the end; `ids` are the uploads that clients know. */
  check?(ids: string[]): Promise<void>
}

export interface Seen {
  /** What the client saw while it lasted, and when it asked again. */
  during: string
  again: string
}

/** Says that it can be tried again, or what must be done before. */
const SAYS_TRY_AGAIN = ['storage_unavailable', 'database_unavailable', 'storage_full']

/**
 * Makes a call while something is wrong, then again when it is not. Fails when an answer was not true,
 * or when jobs do not bring the service to the state that the answers tell of, without a restart.
 */
export async function playFault(harness: Harness, testCase: TestCase, fault: Fault): Promise<Seen> {
  harness.issued.length = 0
  const clients = openClients(harness.account, operatorOf(harness))
  const start = await prepare(harness, clients, testCase)
  const isJob = testCase.call.kind === 'job' || testCase.call.kind === 'expire'
  try {
    await fault.begin(start.id)
    let during: Event[]
    try {
      // In the service a job that fails is logged, and runs again.
      const call = clients.perform(testCase.call, 3)
      during = isJob ? await call.catch(() => [unanswered(testCase.call, start.id)]) : await call
    } finally {
      await fault.end()
    }
    const again = isJob && !fault.repeatsJobs ? [] : await clients.perform(testCase.call, 0)
    const interrupted = interruptedEvents(testCase, start.id)
    const events = [...during.map((event) => judged(event, fault)), ...again, ...interrupted]
    if (fault.mayExpire)
      events.push(...expiriesOf([start.id, ...events.map(({ seen }) => seen.id)]))
    const models = linearize([start.model], events)
    assert.ok(
      models.length > 0,
      `no order explains the answers: ${JSON.stringify([...during, ...events])}`,
    )
    await expireUnknown(harness, harness.issued, models)
    await checkState(harness, models, withoutUnrecorded)
    await fault.check?.(idsOf(models))
    return { during: responseText(during), again: responseText(again) }
  } finally {
    await deleteEverything(harness)
  }
}

function expiriesOf(ids: (string | undefined)[]): Event[] {
  const known = ids.filter((id) => id !== undefined && id !== '')
  return [...new Set(known)].map((id) => unanswered({ kind: 'expire', upload: 0 }, id))
}

function unanswered(command: Command, id: string | undefined): Event {
  return {
    client: 3,
    command,
    seen: { status: NO_RESPONSE, ...(id !== undefined && { id }), code: 'expired' },
  }
}

/** A call that failed for the fault may have taken effect or not: its client must ask again. */
function judged(event: Event, fault: Fault): Event {
  const { command, seen } = event
  // A job does what it can, and the rest in its next run.
  if (command.kind === 'expire') {
    return { ...event, seen: { ...seen, status: NO_RESPONSE, code: 'expired' } }
  }
  const isExcused = SAYS_TRY_AGAIN.includes(seen.code ?? '') || fault.excuses?.(seen)
  if (!isExcused) return event
  return { ...event, seen: { ...seen, status: NO_RESPONSE } }
}
