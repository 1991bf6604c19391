import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWebhookSender } from '../../../src/webhook-sender/sender.ts'
import { Webhook } from '../../support/standard-webhooks.ts'
import {
  aWebhookFixture,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
} from '../../support/webhook-fixture.ts'

test('a receiver that returns 500 for a minute gets the event with the third attempt', async (t) => {
  const { receiver, webhook, service, path, deliver, deliveries, addLink } =
    await aWebhookFixture(t)
  receiver.respond = (response) => response.writeHead(500).end('broken')
  await addLink()
  assert.equal(await deliver(), 1)
  const [first] = await deliveries('?status=pending')
  assert.equal(first?.attempts[0]?.status, 500)
  assert.equal(first?.attempts[0]?.response, 'broken')
  const failing = (await service.call('GET', path)).body.data
  assert.ok(failing.failing_since)
  assert.equal(failing.pending, 1)
  assert.equal(await deliver(4 * SECOND_MS), 0)
  assert.equal(await deliver(6 * SECOND_MS), 1)
  assert.equal(await deliver(60 * SECOND_MS), 0)
  receiver.respond = (response) => response.end()
  assert.equal(await deliver(6 * MINUTE_MS), 1)
  const [delivery] = await deliveries()
  assert.deepEqual(
    [delivery?.status, delivery?.attempts.map(({ status }) => status)],
    ['succeeded', [500, 500, 200]],
  )
  assert.equal((await service.call('GET', path)).body.data.failing_since, null)
  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  assert.deepEqual(new Set(ids).size, 1)
  const bodies = receiver.received.map(({ body }) => body)
  assert.deepEqual(new Set(bodies).size, 1)
  const { headers, body } = receiver.received[0] ?? assert.fail()
  new Webhook(webhook.secret).verify(body, headers as Record<string, string>)
})

test('a webhook whose receiver returns 410 is disabled at once, and later events wait until it is enabled', async (t) => {
  const { receiver, service, path, deliver, deliveries, addLink } = await aWebhookFixture(t)
  receiver.respond = (response) => response.writeHead(410).end()
  await addLink()
  assert.equal(await deliver(), 1)
  const { enabled, disabled_reason } = (await service.call('GET', path)).body.data
  assert.deepEqual([enabled, disabled_reason], [false, 'gone'])
  const [gone] = await deliveries()
  assert.equal(gone?.status, 'failed')
  await addLink()
  assert.equal(await deliver(DAY_MS), 0)
  const refused = await service.call('POST', `${path}/deliveries/${gone?.id}/redeliver`)
  assert.deepEqual([refused.status, refused.body.code], [409, 'webhook_disabled'])

  receiver.respond = (response) => response.end()
  await service.call('PUT', path, { enabled: true })
  assert.equal(await deliver(), 1)
  assert.equal((await service.call('POST', `${path}/deliveries/${gone?.id}/redeliver`)).status, 202)
  assert.equal(await deliver(SECOND_MS), 1)
  assert.deepEqual(
    (await deliveries()).map(({ status }) => status),
    ['succeeded', 'succeeded'],
  )
})

test('Retry-After postpones the next attempt, for at most a day', async (t) => {
  const { receiver, deliver, addLink } = await aWebhookFixture(t)
  receiver.respond = (response) => response.writeHead(429, { 'Retry-After': '600' }).end()
  await addLink()
  assert.equal(await deliver(), 1)
  assert.equal(await deliver(599 * SECOND_MS), 0)
  receiver.respond = (response) => response.writeHead(429, { 'Retry-After': '9999999' }).end()
  assert.equal(await deliver(602 * SECOND_MS), 1)
  assert.equal(await deliver(602 * SECOND_MS + 23 * HOUR_MS), 0)
  assert.equal(await deliver(605 * SECOND_MS + DAY_MS), 1)
})

test('a redirect is a failure, and is not followed', async (t) => {
  const { receiver, deliver, deliveries, addLink } = await aWebhookFixture(t)
  receiver.respond = (response) => response.writeHead(302, { Location: '/elsewhere' }).end()
  await addLink()
  assert.equal(await deliver(), 1)
  const [delivery] = await deliveries()
  assert.deepEqual([delivery?.status, delivery?.attempts[0]?.status], ['pending', 302])
  assert.deepEqual(
    receiver.received.map(({ path }) => path),
    ['/hook'],
  )
})

test('requests to a receiver that never responds time out, and the webhook is disabled after three days', async (t) => {
  const { receiver, own, service, path, deliver, deliveries, addLink } = await aWebhookFixture(t)
  own.sendWebhook = openWebhookSender({ targets: 'any', timeoutMs: 20 })
  receiver.respond = () => {}
  await addLink()
  let attempts = 0
  for (let hours = 0; hours < 80; hours += 0.5) attempts += await deliver(hours * HOUR_MS)
  const { enabled, disabled_reason, pending } = (await service.call('GET', path)).body.data
  assert.deepEqual([enabled, disabled_reason, pending], [false, 'failing', 0])
  assert.equal(attempts, 10)
  const [delivery] = await deliveries()
  assert.deepEqual([delivery?.status, delivery?.attempts.length], ['failed', 10])
  assert.match(delivery?.attempts[9]?.error ?? '', /^No response within/)
})

test('a DNS name that later resolves to a private address is refused when the request is sent', async (t) => {
  const { receiver, own, service, path, deliver, deliveries, addLink } = await aWebhookFixture(t)
  const { port } = new URL(receiver.url)
  const resolveHost = async () => ['127.0.0.1']
  own.sendWebhook = openWebhookSender({ targets: 'public', resolveHost })
  await service.call('PUT', path, { url: `http://shop.example:${port}/hook` })
  await addLink()
  assert.equal(await deliver(), 1)
  const [delivery] = await deliveries()
  assert.match(delivery?.attempts[0]?.error ?? '', /private address/)
  assert.equal(receiver.received.length, 0)
})
