import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { anHttpServer } from '@stowage/testing/machine/ports'
import { until } from '@stowage/testing/machine/until'
import { aKeyedService, anAccount } from '@stowage/testing/service/accounts'
import { aWebhookReceiver } from '@stowage/testing/service/events'
import { deliverAll, takeOverJobs } from '@stowage/testing/service/jobs'
import { aDeployment, aService, type TestService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import type { Engines } from '../compose.ts'
import type { Database } from '../database/database.ts'
import { eventNumber } from '../domain/event.ts'
import type { Context } from '../operations/context.ts'
import { CLAIM_MS, queueDeliveries } from '../operations/deliveries.ts'
import { deliverWebhooks } from './deliver-webhooks.ts'
import { createWakeUp } from './job.ts'

/* Runs on sqlite+disk and postgres+disk. */

async function addLinks(service: TestService, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const link = { filename: `${index}.zip`, url: 'https://example.com/a.zip' }
    assert.equal((await service.call('POST', `${API}/assets/store`, link)).status, 201)
  }
}

async function addWebhook(service: TestService, url: string): Promise<string> {
  const created = await service.call('POST', `${API}/webhooks`, { url })
  assert.equal(created.status, 201)
  return created.body.data.id
}

/** Sends requests only after `gate` has resolved. */
function holdRequests(
  { sendWebhook }: Context,
  gate: Promise<void>,
  onRequest: (url: string) => void,
): Context['sendWebhook'] {
  return async (request, signal) => {
    onRequest(request.url)
    await gate
    return sendWebhook(request, signal)
  }
}

test('the service sends events soon after the change', async (t) => {
  const service = await aService(t)
  const receiver = await aWebhookReceiver(t)
  await addWebhook(service, receiver.url)
  await addLinks(service, 3)
  await until('all events are received', () => receiver.received.length === 3)
  const ids = receiver.events().map(({ id }) => eventNumber(id))
  assert.deepEqual(ids.sort(), [2, 3, 4])
})

test('endpoints that never respond do not delay others', async (t) => {
  const service = await aService(t)
  const dead = await anHttpServer(t, () => {})
  for (let count = 0; count < 15; count += 1) await addWebhook(service, dead)
  await addLinks(service, 30)
  const receiver = await aWebhookReceiver(t)
  const id = await addWebhook(service, receiver.url)
  await addLinks(service, 5)
  await until('the healthy endpoint has received its events', () => receiver.received.length === 5)
  let data: { created_at: string; attempts: { attempted_at: string }[] }[] = []
  await until('every attempt is recorded', async () => {
    data = (await service.call('GET', `${API}/webhooks/${id}/deliveries`)).body.data
    return data.length === 5 && data.every(({ attempts }) => attempts.length > 0)
  })
  for (const { created_at, attempts } of data) {
    const delayMs = Date.parse(attempts[0]?.attempted_at ?? '') - Date.parse(created_at)
    assert.ok(delayMs < 10_000, `${delayMs} ms`)
  }
})

test('the deliveries of a killed instance are sent by another one', async (t) => {
  const service = await aService(t)
  const own = await takeOverJobs(service)
  const receiver = await aWebhookReceiver(t)
  await addWebhook(service, receiver.url)
  await addLinks(service, 3)
  // The first instance is killed while it waits for the responses: it never records them.
  let sent = 0
  const sendWebhook = () => {
    sent += 1
    return new Promise<never>(() => {})
  }
  const killed = deliverAll({ ...own, sendWebhook })
  await until('it has claimed and sent all deliveries', () => sent === 3)
  assert.equal(await deliverAll(own), 0)
  assert.equal(await deliverAll(own, CLAIM_MS + 1000), 3)
  const ids = receiver.events().map((event) => eventNumber(event.id))
  assert.deepEqual(ids.sort(), [2, 3, 4])
  assert.ok(killed)
})

test('a shutdown does not wait for endpoints that never respond, and their deliveries are sent later', async (t) => {
  const deployment = await aDeployment(t)
  const service = await aService(t, {}, deployment)
  const receiver = await aWebhookReceiver(t)
  receiver.respond = () => {}
  await addWebhook(service, receiver.url)
  await addLinks(service, 2)
  await until('both requests are waiting', () => receiver.received.length === 2)
  const start = performance.now()
  await service.close()
  const waitedMs = performance.now() - start
  assert.ok(waitedMs < 14_000, `${waitedMs} ms`)
  receiver.respond = (response) => response.end()
  await aService(t, {}, deployment)
  await until('both are sent again', () => receiver.received.length === 4, 20_000)
  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  assert.equal(new Set(ids).size, 2)
})

test('an attempt whose result cannot be recorded is repeated with the same ID', async (t) => {
  const service = await aService(t)
  const own = await takeOverJobs(service)
  const receiver = await aWebhookReceiver(t)
  await addWebhook(service, receiver.url)
  await addLinks(service, 1)
  const recordAttempt = () => Promise.reject(new Error('the database is unavailable'))
  const database = Object.create(own.database, { recordAttempt: { value: recordAttempt } })
  await assert.rejects(deliverAll({ ...own, database }), /unavailable/)
  assert.equal(await deliverAll(own, CLAIM_MS + 1000), 1)
  const [first, second] = receiver.received
  assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id'])
})

test('several instances that queue and send at the same time send each event once', async (t) => {
  const service = await aService(t)
  const own = await takeOverJobs(service)
  const receiver = await aWebhookReceiver(t)
  await addWebhook(service, receiver.url)
  await addLinks(service, 40)
  const counts = await Promise.all([1, 2, 3, 4].map(() => deliverAll(own)))
  const rest = await deliverAll(own)
  assert.equal(
    counts.reduce((sum, count) => sum + count, rest),
    40,
  )
  const ids = receiver.events().map(({ id }) => eventNumber(id))
  assert.deepEqual(
    ids.sort((a, b) => a - b),
    Array.from({ length: 40 }, (_, index) => index + 2),
  )
})

test('the total size of the bodies of running requests is limited', async (t) => {
  const service = await aService(t)
  const own = await takeOverJobs(service)
  const receiver = await aWebhookReceiver(t)
  await addWebhook(service, receiver.url)
  await addLinks(service, 2)
  const stop = new AbortController()
  cleanUp(t, () => stop.abort())
  const requested: number[] = []
  const sizes: number[] = []
  const database: Database = {
    ...own.database,
    async claimDeliveries(health, times, limits) {
      if (health === 'working') requested.push(limits.maxBytes)
      const claimed = await own.database.claimDeliveries(health, times, limits)
      sizes.push(...claimed.map(({ bytes }) => bytes))
      return claimed
    },
  }
  const respond = Promise.withResolvers<void>()
  let running = 0
  const sendWebhook = holdRequests(own, respond.promise, () => (running += 1))
  const job = deliverWebhooks({ ...own, database, sendWebhook }, stop.signal)
  const all = () => Math.max(...requested)
  const bothSizes = () => sizes.reduce((sum, size) => sum + size, 0)
  await until('both are running', () => running === 2)
  await until('less is claimed', () => requested.at(-1) === all() - bothSizes())
  respond.resolve()
  await until('both have ended', () => requested.at(-1) === all())
  assert.equal(receiver.received.length, 2)
  stop.abort()
  await job
})

test('an account whose running requests have large bodies does not delay others', async (t) => {
  const service = await aKeyedService(t, { STOWAGE_WEBHOOK_TARGETS: 'any' })
  const own = await takeOverJobs(service)
  const receiver = await aWebhookReceiver(t)
  // As if the bodies had 3 MB: the third reaches the limit of the account.
  const database: Database = {
    ...own.database,
    async claimDeliveries(health, times, limits) {
      const claimed = await own.database.claimDeliveries(health, times, { ...limits, limit: 1 })
      return claimed.map((one) => ({ ...one, bytes: 3_000_000 }))
    },
  }
  const running: string[] = []
  const respond = Promise.withResolvers<void>()
  const sendWebhook = holdRequests(own, respond.promise, (url) => running.push(url))
  const stop = new AbortController()
  cleanUp(t, () => {
    stop.abort()
    respond.resolve()
  })
  const job = deliverWebhooks({ ...own, database, sendWebhook }, stop.signal)
  for (const [name, links] of [
    ['large', 5],
    ['other', 1],
  ] as const) {
    const { call } = await anAccount(service, { name })
    const webhook = { url: `${receiver.url}?account=${name}`, types: ['asset.ready'] }
    assert.equal((await call('POST', `${API}/webhooks`, webhook)).status, 201)
    for (let index = 0; index < links; index += 1) {
      const link = { filename: `${index}.zip`, url: 'https://example.com/a.zip' }
      assert.equal((await call('POST', `${API}/assets/store`, link)).status, 201)
    }
    await until(
      `requests of ${name} are running`,
      () => running.length >= (name === 'large' ? 3 : 4),
    )
  }
  assert.equal(new Set(running.slice(0, 3)).size, 1)
  assert.notEqual(running[3], running[0])
  respond.resolve()
  await until('the others are sent, too', () => receiver.received.length === 6)
  stop.abort()
  await job
})

test('an idle instance does not poll, but a retry is sent when it is due, and a repeated delivery immediately', async (t) => {
  let claims = 0
  let verifications = 0
  const wrap = ({ database }: Engines): Pick<Engines, 'database'> => ({
    database: {
      ...database,
      claimDeliveries(...args) {
        claims += 1
        return database.claimDeliveries(...args)
      },
      claimVerifications(...args) {
        verifications += 1
        return database.claimVerifications(...args)
      },
      claimWithheld(...args) {
        verifications += 1
        return database.claimWithheld(...args)
      },
    },
  })
  const service = await aService(t, {}, undefined, { wrap })
  const receiver = await aWebhookReceiver(t)
  const times: number[] = []
  receiver.respond = (response) => {
    times.push(performance.now())
    response.writeHead(times.length === 1 ? 500 : 200).end()
  }
  const id = await addWebhook(service, receiver.url)
  await addLinks(service, 1)
  await until('the first attempt has failed', () => times.length === 1)
  claims = 0
  verifications = 0
  // Sooner than an idle instance looks for deliveries without being woken: every 30 seconds.
  await until('it is retried', () => times.length === 2, 20_000)
  const [first = 0, second = 0] = times
  assert.ok(second - first > 4_900, `${second - first} ms`)
  // Polling every 500 ms would need 20 or more.
  assert.ok(claims < 16, `${claims} claims`)
  // The jobs that verify files would need 70 or more.
  assert.ok(verifications < 50, `${verifications} claims of files`)
  const path = `${API}/webhooks/${id}/deliveries`
  await until('it has succeeded', async () => {
    const { data } = (await service.call('GET', path)).body
    return data[0].status === 'succeeded'
  })
  const [delivery] = (await service.call('GET', path)).body.data
  const again = await service.call('POST', `${path}/${delivery.id}/redeliver`)
  assert.equal(again.status, 202)
  await until('it is sent again', () => times.length === 3, 20_000)
})

test('the pending deliveries of a webhook are sent as soon as it is enabled again', async (t) => {
  const service = await aService(t)
  const own = await takeOverJobs(service)
  const receiver = await aWebhookReceiver(t)
  const webhook = { url: receiver.url, types: ['asset.ready'] }
  const { id } = (await service.call('POST', `${API}/webhooks`, webhook)).body.data
  await addLinks(service, 1)
  await queueDeliveries(own)
  const path = `${API}/webhooks/${id}`
  await service.call('PUT', path, { enabled: false })
  const stop = new AbortController()
  let checks = 0
  const database: Database = {
    ...own.database,
    nextDeliveryAt(health) {
      checks += 1
      return own.database.nextDeliveryAt(health)
    },
  }
  const job = deliverWebhooks({ ...own, database }, stop.signal)
  await until('both senders wait', () => checks === 2)
  await service.call('PUT', path, { enabled: true })
  await until('the delivery is sent', () => receiver.received.length === 1, 10_000)
  stop.abort()
  await job
})

test('waking a loop while it works ends its next wait immediately', async () => {
  const { signal } = new AbortController()
  const wakeUp = createWakeUp()
  wakeUp.wake()
  await wakeUp.wait(60_000, signal)
  const waiting = wakeUp.wait(60_000, signal)
  wakeUp.wake()
  await waiting
  await wakeUp.wait(60_000, AbortSignal.abort())
})
