import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StowageEvent } from '@stowage/client'
import { EVENT_TYPES } from '@stowage/protocol'
import { eventLabel, KINDS } from './events.ts'

test('every type of event is in exactly one group of the activity', () => {
  const grouped = Object.values(KINDS).flatMap(({ types }) => [...types])
  assert.deepEqual(grouped.toSorted(), EVENT_TYPES.toSorted())
})

test('every type of event has a label, and a type that this page does not know is shown as it is', () => {
  const labelOf = (type: string) =>
    eventLabel({ type, data: { changed: [] } } as unknown as StowageEvent)
  for (const type of EVENT_TYPES) assert.match(labelOf(type), /^[A-Z][a-zA-Z ]+$/, type)
  for (const type of ['order.paid', 'constructor']) assert.equal(labelOf(type), type)
})
