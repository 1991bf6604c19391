import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client, StowageEvent } from '@stowage/client'
import { EVENT_TYPES } from '@stowage/protocol'
import { activityFilters, activityUrl, NO_FILTERS, readActivityQuery } from './activity-query.ts'
import {
  actionChoices,
  choiceLabel,
  eventChange,
  eventLabel,
  GROUPS,
  groupLabel,
  typesOf,
} from './events.ts'
import { type Activity, loadActivity, pageOf } from './load-activity.ts'

const event = (facts: object) => facts as unknown as StowageEvent

test('every type of event is in exactly one group of the activity', () => {
  const grouped = Object.values(GROUPS).flat()
  assert.deepEqual(grouped.toSorted(), EVENT_TYPES.toSorted())
})

test('every type of event has a label, and a type that this page does not know is shown as it is', () => {
  const labelOf = (type: string) => eventLabel(event({ type, data: { changed: [], version: 1 } }))
  for (const type of EVENT_TYPES) assert.match(labelOf(type), /^[A-Z][a-zA-Z0-9 ]+$/, type)
  for (const type of ['order.paid', 'constructor']) assert.equal(labelOf(type), type)
})

test('labels say what has changed, also for events that do not have what was before', () => {
  const asset = { id: 'a', filename: 'b.pdf', path: 'x', version: 1 }
  const label = (type: string, more: object = {}) =>
    eventLabel(event({ type, data: { ...asset, ...more } }))
  const changeOf = (previous?: object) =>
    eventChange(event({ type: 'asset.updated', data: { ...asset, previous } }))
  assert.equal(label('asset.updated'), 'Changed')
  assert.equal(label('asset.updated', { previous: { filename: 'a.pdf' } }), 'Renamed')
  assert.equal(label('asset.updated', { previous: { path: null } }), 'Moved')
  assert.equal(label('asset.updated', { previous: { url: 'https://x' } }), 'URL changed')
  assert.equal(label('asset.updated', { previous: {} }), 'Changed')
  assert.equal(label('asset.updated', { repaired_version: 2 }), 'Version 2 is readable again')
  assert.equal(label('asset.replaced'), 'Replaced')
  assert.equal(label('asset.replaced', { restored: true }), 'Restored version 1')
  assert.equal(label('asset.replaced', { restored: false }), 'Replaced by version 1')
  assert.equal(label('version.deleted'), 'Deleted version 1')
  assert.deepEqual(changeOf({ filename: 'a.pdf' }), { from: 'a.pdf' })
  assert.deepEqual(changeOf({ path: null }), { from: 'no folder', to: 'x' })
  assert.equal(changeOf(), undefined)
})

test('the choices of actions have different labels, and those of keys are hidden from other keys', () => {
  const values = actionChoices(true).flatMap(({ items }) => items.map(({ value }) => value))
  assert.equal(new Set(values.map(choiceLabel)).size, values.length)
  for (const value of values) assert.ok(typesOf(value)?.length)
  assert.equal(typesOf('constructor'), undefined)
  const others = actionChoices(false).flatMap(({ items }) => items.map(({ value }) => value))
  assert.ok(!others.some((value) => /^(key|token|webhook)/.test(value)))
})

test('the filters of the activity are kept in the URL, and days are those of the reader', () => {
  assert.equal(
    activityUrl(readActivityQuery('?show=nothing&before=-1&from=2026-02-30')),
    '/activity',
  )
  const query = {
    ...NO_FILTERS,
    search: 'intro',
    show: 'asset.deleted',
    actor: 'key',
    from: '2026-01-31',
  }
  assert.deepEqual(
    readActivityQuery(activityUrl({ ...query, before: 5 }).slice('/activity'.length)),
    {
      ...query,
      before: 5,
    },
  )
  const day = { ...query, to: '2026-01-31' }
  assert.deepEqual(activityFilters(day), {
    search: 'intro',
    type: 'asset.deleted',
    actor: 'key',
    from: new Date(2026, 0, 31).toISOString(),
    to: new Date(2026, 1, 1).toISOString(),
  })
})

/** Events from the newest to the oldest: each number is the call of one of them, 0 for none. */
function activityOf(calls: (number | 'job')[], hasMore = false): Activity {
  const events = calls.map((call, index) =>
    event({
      id: calls.length - index,
      type: 'asset.deleted',
      created_at: '2026-01-31T09:30:00.000Z',
      call: typeof call === 'number' && call > 0 ? `${call}` : null,
      actor: { type: call === 'job' ? 'job' : 'key', id: null, name: 'x' },
      data: { id: `${index}`, filename: `${index}` },
    }),
  )
  return { events, lastId: calls.length, hasMore, nextBefore: 1, examinedTo: null }
}

test('the events of a call, or of a job on one day, are one row', () => {
  const labels = (activity: Activity) =>
    pageOf(activity).rows.map(({ events, isMore }) =>
      events.length === 1 ? 'one' : groupLabel(events, isMore),
    )
  const calls = [0, 1, 1, 1, 0, 0, 'job' as const, 'job' as const, 1]
  assert.deepEqual(labels(activityOf(calls)), [
    'one',
    'Deleted 4 assets',
    'one',
    'one',
    'Deleted 2 assets',
  ])
  assert.deepEqual(labels(activityOf([1, 1, 1])), ['Deleted 3 assets'])
  assert.deepEqual(labels(activityOf([0, 2, 2], true)), ['one', 'Deleted at least 2 assets'])
})

test('attachments by successive calls of one person within seconds are one row', () => {
  const attached = (call: string, seconds: number, name = 'x') =>
    event({
      id: 100 - seconds,
      type: 'asset.attached',
      created_at: new Date(1e12 - seconds * 1000).toISOString(),
      call,
      actor: { type: 'key', id: null, name },
      data: { id: `${seconds}`, filename: 'a' },
    })
  const rowsOf = (events: StowageEvent[]) =>
    pageOf({ ...activityOf([]), events }).rows.map(({ events }) => events.length)
  const one = [attached('c', 0), attached('b', 2), attached('b', 2), attached('a', 6)]
  assert.deepEqual(rowsOf(one), [4])
  assert.deepEqual(rowsOf([...one, attached('d', 20)]), [4, 1])
  assert.deepEqual(rowsOf([...one, attached('d', 7, 'y')]), [4, 1])
})

test('a page ends between two calls, and the next one starts there', () => {
  const activity = activityOf([...Array(49).fill(0), 1, 1, 1, 2, 2, 0], true)
  const { rows, nextBefore } = pageOf(activity)
  assert.deepEqual([rows.length, rows.at(-1)?.events.length, nextBefore], [50, 3, 4])
  assert.equal(pageOf(activityOf([0, 0])).nextBefore, undefined)
})

test('events that are stored while older ones are still being read are read next', async () => {
  const positions: (number | undefined)[] = []
  const ids = [10, 12, 12]
  const listEvents = async ({ after }: { after?: number }) => {
    positions.push(after)
    const meta = { last_id: ids.shift(), has_more: ids.length === 2, next_before: 5 }
    return { data: after === undefined ? [] : [event({ id: 12 }), event({ id: 11 })], meta }
  }
  const client = { listEvents } as unknown as Client
  const { signal } = new AbortController()
  const query = readActivityQuery('')
  const known = await loadActivity(client, query, { known: undefined, signal })
  assert.equal(known.lastId, 10)
  const { events } = await loadActivity(client, query, { known, signal })
  assert.deepEqual(positions, [undefined, undefined, 10])
  assert.equal(events.length, 2)
})
