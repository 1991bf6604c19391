import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Event } from '@stowage/protocol'
import { eventNumber } from '@stowage/server/src/domain/event'
import { callUrl } from '@stowage/testing/service/upload'
import type { Outcomes } from './multi-instance-client.ts'
import { type RetryOptions, retryUntilResponse } from './retry-until-response.ts'

/** Short enough that every instance serves some of the reads before it is killed. */
const PAUSE_MS = 50

/**
 * Reads the events of the account from random instances until `isOver` returns true and the last event is read. Fails
 * unless their numbers are 1, 2, … in this order.
 */
export async function readEventsUntilOver(
  options: RetryOptions & { isOver: () => boolean },
): Promise<Event[]> {
  const events: Event[] = []
  for (;;) {
    const isLast = options.isOver()
    const after = events.at(-1)?.id ?? 0
    const send = (url: string) => callUrl(`${url}/api/v1/events?after=${after}&limit=1000`)
    const { body } = await retryUntilResponse(options, { step: 'list', expected: 200, send })
    for (const event of body.data as Event[]) {
      events.push(event)
      assert.equal(eventNumber(event.id), events.length)
    }
    if (isLast && !body.meta.has_more) return events
    // The interval between two reads; it waits for no particular event.
    if (!body.meta.has_more) await pause(PAUSE_MS)
  }
}

/** Fails unless each confirmed change has exactly one event of each type that it causes. */
export function checkOutcomeEvents(events: Event[], outcomes: Outcomes): void {
  const counts = new Map<string, number>()
  for (const { type, data } of events) {
    const key = `${type} ${'id' in data ? data.id : ''}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const expectOne = (type: string, ids: Iterable<string>) => {
    for (const id of ids) assert.equal(counts.get(`${type} ${id}`), 1, `${type} ${id}`)
  }
  expectOne('upload.started', outcomes.files.keys())
  expectOne('asset.ready', outcomes.completed)
  expectOne('asset.deleted', outcomes.deleted)
  expectOne('asset.removed', outcomes.deleted)
  expectOne('upload.cancelled', outcomes.cancelled)
}
