import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import { anEventStream, aWebhookReceiver, type ReadStream } from '@stowage/testing/service/events'
import { deliverAll } from '@stowage/testing/service/jobs'
import { API } from '@stowage/testing/service/upload'
import type { Database } from '../../../src/database/database.ts'
import { type Event, type EventType, eventNumber } from '../../../src/domain/event.ts'
import { aWebhookFixture, type WebhookFixture } from '../../support/webhook-fixture.ts'

function numbersOf({ events }: ReadStream): number[] {
  return events.map(({ id }) => eventNumber(id))
}

/** Adds an event whose data cannot be read, as in a damaged database. */
function addUnreadableEvent(fixture: WebhookFixture): Promise<void> {
  return addDamagedEvent(fixture, 'webhook.created', (event) => {
    Object.assign(event.data, { createdAt: 'never' })
  })
}

/** Adds an event that can be read, but cannot be sent: its data has no products, although its type requires them. */
function addIncompleteEvent(fixture: WebhookFixture): Promise<void> {
  return addDamagedEvent(fixture, 'asset.ready', (event) => {
    Object.assign(event, { type: 'asset.attached' })
  })
}

/** Adds a changed copy of the first event of this type. */
async function addDamagedEvent(
  { own }: WebhookFixture,
  type: EventType,
  damage: (event: Event) => void,
): Promise<void> {
  const { id: accountId } = (await own.database.listAccounts())[0] ?? assert.fail()
  const data = own.database.of(accountId)
  const { events, lastId } = await data.listEvents({ after: 0, limit: 1, types: [type] })
  const event = structuredClone(events[0] ?? assert.fail())
  damage(event)
  const id = lastId + 1
  await data.importEvents({ events: [{ ...event, id }], lastId: id, forgottenId: 0 })
}

test('an event that cannot be read is logged, and stops neither webhooks nor streams', async (t) => {
  const fixture = await aWebhookFixture(t)
  const { service, receiver, path, own, deliver, deliveries, addLink } = fixture
  const other = await aWebhookReceiver(t)
  await service.call('POST', `${API}/webhooks`, { url: other.url })
  const logged: string[] = []
  own.warn = (message) => logged.push(message)
  await addLink()
  await addUnreadableEvent(fixture)
  await addUnreadableEvent(fixture)
  // The events that cannot be read have a type that only the other webhook receives.
  assert.equal(await deliver(), 4)
  await addLink()
  await addUnreadableEvent(fixture)
  await addIncompleteEvent(fixture)
  await addLink()
  assert.equal(await deliver(), 7)
  for (const { events } of [receiver, other]) {
    assert.deepEqual(
      events()
        .map(({ id }) => eventNumber(id))
        .sort(),
      [3, 6, 9],
    )
  }
  assert.deepEqual(logged.map((message) => /event (\d+) of/.exec(message)?.[1]).sort(), [
    '4',
    '5',
    '7',
    '8',
    '8',
  ])
  const failed = await deliveries('?status=failed')
  assert.deepEqual(
    failed.map(({ event_id }) => eventNumber(event_id ?? 0)),
    [8],
  )
  assert.match(failed[0]?.attempts[0]?.error ?? '', /^The event cannot be read/)
  const shown = await service.call('GET', `${path}/deliveries/${failed[0]?.id}`)
  assert.deepEqual([shown.status, shown.body.data?.body], [200, null])
  const { missed_events, failing_since } = (await service.call('GET', path)).body.data
  assert.deepEqual([missed_events, failing_since], [1, null])
  const older = await anEventStream(t, service.baseUrl, { query: '?after=3' })
  const newer = await anEventStream(t, service.baseUrl)
  await until('the streams have started', () => eventNumber(Number(newer.lastId())) === 9)
  await addUnreadableEvent(fixture)
  await addLink()
  await until('the older events arrive', () => numbersOf(older).at(-1) === 11)
  await until('the new event arrives', () => numbersOf(newer).at(-1) === 11)
  assert.deepEqual(numbersOf(older), [6, 9, 11])
})

test('a webhook whose deliveries cannot be queued does not stop the others', async (t) => {
  const { service, receiver, webhook, own, deliver, addLink } = await aWebhookFixture(t)
  await addLink()
  const other = await aWebhookReceiver(t)
  const created = await service.call('POST', `${API}/webhooks`, { url: other.url })
  await addLink()
  const database: Database = {
    ...own.database,
    addDeliveries: async (id, ...rest) =>
      id === webhook.id ? assert.fail('queued') : own.database.addDeliveries(id, ...rest),
  }
  await assert.rejects(deliverAll({ ...own, database }), /queued/)
  const { data } = (await service.call('GET', `${API}/webhooks/${created.body.data.id}`)).body
  assert.equal(data.pending, 1)
  assert.equal(await deliver(), 3)
  assert.deepEqual([receiver.received.length, other.received.length], [2, 1])
})
