import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUuids } from './uuid.ts'

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('UUIDs are of version 7, start with the current time and increase', () => {
  const newUuid = createUuids()
  const before = Date.now()
  const ids = Array.from({ length: 20_000 }, newUuid)
  const after = Date.now()
  for (const id of ids) assert.match(id, VERSION_7)
  assert.deepEqual(ids, [...new Set(ids)].toSorted())
  const times = ids.map((id) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
  for (const time of times) assert.ok(time >= before && time <= after, `${time}`)
})

test('within a millisecond, the counter takes up all bits between the version and the random end', (t) => {
  const newUuid = createUuids()
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const counters = Array.from({ length: 20_000 }, newUuid).map(counterOf)
  for (const [index, counter] of counters.entries()) {
    assert.equal(counter, (counters[0] ?? 0) + index)
  }
})

test('a clock that is set back changes neither the order nor the time of the last UUID', (t) => {
  const newUuid = createUuids()
  const id = newUuid()
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() - 60_000 })
  const next = newUuid()
  assert.ok(next > id)
  assert.equal(next.slice(0, 13), id.slice(0, 13))
})

function counterOf(id: string): number {
  const high = Number.parseInt(id.slice(15, 18), 16)
  const low = Number.parseInt(id.slice(19, 23), 16) & 0x3fff
  return high * 2 ** 14 + low
}
