import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Delivery } from '@stowage/protocol'
import { aWebhookReceiver } from '@stowage/testing/service/events'
import { NEVER } from '@stowage/testing/service/jobs'
import { API } from '@stowage/testing/service/upload'
import { forgetEvents } from '../../../src/jobs/forget-events.ts'
import { queueDeliveries } from '../../../src/operations/deliveries.ts'
import { Webhook } from '../../support/standard-webhooks.ts'
import { aWebhookFixture, DAY_MS, MINUTE_MS, SECOND_MS } from '../../support/webhook-fixture.ts'

/* Runs on sqlite+disk and postgres+disk. */

test('each event is sent once, and the public Standard Webhooks library verifies it', async (t) => {
  const { service, receiver, webhook, deliver, deliveries, addLink } = await aWebhookFixture(t)
  const id = await addLink('täst.zip')
  await service.call('DELETE', `${API}/assets/${id}`)
  assert.equal(await deliver(), 2)
  assert.equal(await deliver(), 0)
  const { data: events } = (await service.call('GET', `${API}/events?after=1`)).body
  const sent = receiver.events()
  assert.deepEqual(
    sent.sort((a, b) => a.id - b.id),
    events.map((event: { created_at: string }) => ({ ...event, timestamp: event.created_at })),
  )
  assert.deepEqual(
    sent.map(({ type, data }) => [type, data.filename]),
    [
      ['asset.ready', 'täst.zip'],
      ['asset.deleted', 'täst.zip'],
    ],
  )
  const verifier = new Webhook(webhook.secret)
  for (const { body, headers } of receiver.received) {
    const signed = headers as Record<string, string>
    assert.deepEqual(verifier.verify(body, signed), JSON.parse(body))
    assert.throws(() => verifier.verify(body.replace('zip', 'zap'), signed))
    assert.throws(() => new Webhook('whsec_d3Jvbmc=').verify(body, signed))
  }
  const log = await deliveries()
  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  assert.deepEqual(log.map((delivery) => delivery.id).sort(), ids.sort())
  assert.deepEqual(
    log.map(({ status, next_attempt_at }) => [status, next_attempt_at]),
    [
      ['succeeded', null],
      ['succeeded', null],
    ],
  )
})

test('only events of the chosen types are sent, and none from before the webhook was created', async (t) => {
  const { service, receiver, deliver, addLink } = await aWebhookFixture(t)
  const id = await addLink()
  const other = await aWebhookReceiver(t)
  await service.call('POST', `${API}/webhooks`, { url: other.url, types: ['asset.updated'] })
  await service.call('PUT', `${API}/assets/${id}`, { filename: 'b.zip' })
  await service.call('DELETE', `${API}/assets/${id}`)
  assert.equal(await deliver(), 4)
  assert.equal(receiver.received.length, 3)
  assert.deepEqual(
    other.events().map(({ type }) => type),
    ['asset.updated'],
  )
})

test('for a day after a rotation, the previous secrets also verify the requests', async (t) => {
  const { service, receiver, webhook, path, deliver, addLink } = await aWebhookFixture(t)
  const second = (await service.call('POST', `${path}/rotate`)).body.data.secret
  // A repeated rotation, for example because the response was lost, keeps the receiver's secret valid.
  const third = (await service.call('POST', `${path}/rotate`)).body.data.secret
  await addLink()
  await deliver()
  await addLink()
  await deliver(DAY_MS + MINUTE_MS)
  const verifies = (secret: string, index: number): boolean => {
    const { headers, body } = receiver.received[index] ?? assert.fail()
    // The library refuses old and future timestamps, so the clock is set to the timestamp of the request.
    const now = Date.now
    Date.now = () => Number(headers['webhook-timestamp']) * 1000
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>)
      return true
    } catch {
      return false
    } finally {
      Date.now = now
    }
  }
  const secrets = [webhook.secret, second, third]
  assert.deepEqual(
    secrets.map((secret) => verifies(secret, 0)),
    [true, true, true],
  )
  assert.deepEqual(
    secrets.map((secret) => verifies(secret, 1)),
    [false, false, true],
  )
})

test('a ping is sent immediately and only once, even if the webhook is disabled', async (t) => {
  const { receiver, service, webhook, path, deliver } = await aWebhookFixture(t)
  await service.call('PUT', path, { enabled: false })
  const { body } = await service.call('POST', `${path}/ping`)
  const delivery = body.data
  assert.deepEqual([delivery.type, delivery.status, delivery.event_id], ['ping', 'succeeded', null])
  assert.equal(delivery.attempts[0].response, 'ok')
  const [request] = receiver.received
  assert.equal(delivery.body, request?.body)
  const verified = new Webhook(webhook.secret).verify(
    delivery.body,
    request?.headers as Record<string, string>,
  )
  assert.deepEqual(verified, JSON.parse(delivery.body))
  assert.deepEqual(JSON.parse(delivery.body).data, { webhook_id: webhook.id })

  receiver.respond = (response) => response.writeHead(410).end()
  const failed = (await service.call('POST', `${path}/ping`)).body.data
  assert.deepEqual([failed.status, failed.next_attempt_at], ['failed', null])
  await service.call('PUT', path, { enabled: true })
  assert.equal(await deliver(DAY_MS), 0)
  const { enabled, failing_since } = (await service.call('GET', path)).body.data
  assert.deepEqual([enabled, failing_since], [true, null])
})

test('a delivery can be sent again, with the same ID and body', async (t) => {
  const { receiver, service, path, deliver, deliveries, addLink } = await aWebhookFixture(t)
  await addLink()
  await deliver()
  const [delivery] = await deliveries()
  const again = await service.call('POST', `${path}/deliveries/${delivery?.id}/redeliver`)
  assert.deepEqual([again.status, again.body.data.status], [202, 'pending'])
  assert.equal(await deliver(SECOND_MS), 1)
  const [first, second] = receiver.received
  assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id'])
  assert.equal(first?.body, second?.body)
  const { data } = (await service.call('GET', `${path}/deliveries/${delivery?.id}`)).body
  assert.deepEqual([data.status, data.attempts.length, data.body], ['succeeded', 2, first?.body])
  const unknown = await service.call('GET', `${path}/deliveries/${service.context.newId()}`)
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'not_found'])
})

test('an event is stored once, not once for each webhook', async (t) => {
  const fixture = await aWebhookFixture(t, { types: null })
  const { own, service, webhook, deliver, deliveries } = fixture
  const tags = Array.from({ length: 250 }, (_, index) => `${index}`.padEnd(200, 'x'))
  const product = { product_id: 1, variant_id: 1, name: 'Presets', tags }
  for (const name of ['other', 'third']) {
    await service.call('POST', `${API}/webhooks`, { url: `http://127.0.0.1:1/${name}` })
  }
  const put = await service.call('PUT', `${API}/products`, { products: [product] })
  assert.equal(put.status, 200)
  while ((await queueDeliveries(own)).hasMore);
  const stored: unknown[] = []
  for (const { id } of await own.database.listAllWebhooks(undefined, 10)) {
    stored.push(...(await own.database.listAllDeliveries(id, undefined, 10)))
  }
  assert.ok(stored.length >= 3)
  assert.ok(JSON.stringify(stored).length < 10_000)
  await deliver()
  const sent = (await deliveries()).find(({ type }) => type === 'product.updated')
  const { body } = await service.call('GET', `${API}/webhooks/${webhook.id}/deliveries/${sent?.id}`)
  assert.ok(body.data.body.length > 50_000)
})

test('a delivery whose event was removed ends as failed, and the webhook shows how many events it missed', async (t) => {
  const fixture = await aWebhookFixture(t)
  const { receiver, own, service, path, deliver, deliveries, addLink } = fixture
  await addLink()
  await addLink()
  receiver.respond = (response) => response.writeHead(500).end()
  assert.equal(await deliver(), 2)
  const eventIds = async () => (await deliveries()).map(({ event_id }) => event_id)
  const before = await eventIds()
  await service.call('PUT', path, { enabled: false })
  await addLink()
  const settings = { ...own.settings, eventsMaxBytes: 0 }
  await forgetEvents({ ...own, settings }, NEVER)
  await service.call('PUT', path, { enabled: true })
  receiver.respond = (response) => response.end()
  assert.equal(await deliver(MINUTE_MS), 2)
  assert.equal(receiver.received.length, 2)
  assert.deepEqual(await eventIds(), before)
  for (const { status, attempts, id, event_id } of await deliveries()) {
    assert.equal(status, 'failed')
    assert.match(attempts[1]?.error ?? '', /^The event was removed before it could be sent/)
    const again = await service.call('POST', `${path}/deliveries/${id}/redeliver`)
    assert.deepEqual([again.status, again.body.code], [410, 'delivery_expired'])
    const { data } = (await service.call('GET', `${path}/deliveries/${id}`)).body
    assert.deepEqual([data.body, data.event_id], [null, event_id])
  }
  const { data } = (await service.call('GET', path)).body
  // Both deliveries, and the events that were not queued: of the third link, and of disabling the webhook.
  assert.deepEqual([data.missed_events, data.failing_since, data.enabled], [4, null, true])
  assert.ok(Date.parse(data.missed_at) > 0)
  await addLink()
  assert.equal(await deliver(), 1)
})

test('deliveries are listed in pages of at most 100, newest first', async (t) => {
  const { service, path, deliver, addLink } = await aWebhookFixture(t)
  for (let count = 0; count < 5; count += 1) await addLink(`${count}.zip`)
  await deliver()
  const page = async (query: string) =>
    (await service.call('GET', `${path}/deliveries${query}`)).body
  const all = await page('?limit=1000')
  assert.deepEqual([all.data.length, all.meta.per_page, all.meta.total], [5, 100, 5])
  assert.ok(!('body' in all.data[0]))
  const ids = all.data.map(({ id }: Delivery) => id)
  assert.deepEqual(ids, ids.toSorted().reverse())
  const first = await page('?limit=2')
  const next = await page(`?limit=2&after=${first.meta.next_after}`)
  assert.deepEqual(
    [...first.data, ...next.data].map(({ id }: Delivery) => id),
    ids.slice(0, 4),
  )
  assert.equal((await page('?status=failed')).meta.total, 0)
  assert.equal((await page('?status=perhaps')).code, 'invalid')
})
