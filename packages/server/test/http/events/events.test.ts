import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event, EventPage } from '@stowage/protocol'
import { until } from '@stowage/testing/machine/until'
import {
  aKeyedService,
  anAccount,
  finishUpload,
  sendUpload,
} from '@stowage/testing/service/accounts'
import { anEventStream } from '@stowage/testing/service/events'
import { NEVER, takeOverJobs } from '@stowage/testing/service/jobs'
import { aService, type TestService } from '@stowage/testing/service/service'
import { API, someBytes } from '@stowage/testing/service/upload'
import { eventNumber } from '../../../src/domain/event.ts'
import { forgetEvents } from '../../../src/jobs/forget-events.ts'

const LINK = { filename: 'elsewhere.zip', url: 'https://example.com/elsewhere.zip' }

async function addLink(service: TestService): Promise<string> {
  const { status, body } = await service.call('POST', `${API}/assets/store`, LINK)
  assert.equal(status, 201)
  return body.data.id
}

async function eventsAfter(service: TestService, query: string): Promise<EventPage> {
  const { status, body } = await service.call('GET', `${API}/events${query}`)
  assert.equal(status, 200)
  return body
}

function numbersOf({ data }: EventPage): number[] {
  return data.map(({ id }) => eventNumber(id))
}

test('events have the key that made the change, and the resource as the API returns it', async (t) => {
  const service = await aKeyedService(t)
  const { call, keys } = await anAccount(service, { name: 'shop' })
  const sent = await sendUpload(call, { name: 'a.zip', bytes: someBytes(25) })
  const asset = await finishUpload(call, sent)
  await call('DELETE', `${API}/assets/${asset.id}`)
  const { body } = await call('GET', `${API}/events?limit=1000`)
  const events: Event[] = body.data
  assert.deepEqual(
    events.map(({ type }) => type),
    [...Array(3).fill('key.created'), 'upload.started', 'asset.ready', 'asset.deleted'],
  )
  assert.deepEqual(events[0]?.actor, { type: 'operator', id: null, name: null })
  assert.ok(!JSON.stringify(events).includes('hash'))
  const [started, ready, deleted] = events.slice(3)
  const actor = { type: 'key', id: keys.manage.id, name: 'manage' }
  assert.deepEqual([started?.actor, ready?.actor, deleted?.actor], [actor, actor, actor])
  assert.equal(started?.type, 'upload.started')
  const { id, upload_id, status, parts, started_by } = started.data
  assert.deepEqual(
    { id, upload_id, status, parts, started_by },
    {
      id: asset.id,
      upload_id: sent.session.upload_id,
      status: 'uploading',
      parts: 1,
      started_by: { id: keys.manage.id, name: 'manage' },
    },
  )
  assert.deepEqual(ready?.data, { ...asset, checksum: null })
  assert.equal(deleted?.type, 'asset.deleted')
  assert.equal(deleted.data.status, 'ready')
  assert.ok(deleted.data.deleted_at)
  const other = await anAccount(service, { name: 'other' })
  const own = await other.call('GET', `${API}/events`)
  assert.equal(eventNumber(own.body.meta.last_id), 3)
})

test('only keys with the scope manage get events of keys, upload tokens and webhooks', async (t) => {
  const service = await aKeyedService(t)
  // Nothing is sent to the webhook.
  await takeOverJobs(service)
  const { call, keys } = await anAccount(service, { name: 'shop' })
  await call('POST', `${API}/assets/store`, LINK)
  const url = 'https://shop.example/secret-path'
  const webhook = (await call('POST', `${API}/webhooks`, { url })).body.data
  const token = (await call('POST', `${API}/upload-tokens`, { max_bytes: 9, mime: ['image/*'] }))
    .body
  await call('POST', `${API}/webhooks/${webhook.id}/rotate`)
  for (const { secret } of [keys.read, keys.write]) {
    const headers = { Authorization: `Bearer ${secret}` }
    const read = (query: string) => service.call('GET', `${API}/events${query}`, undefined, headers)
    for (const query of ['?after=0', '?order=desc']) {
      const { body } = await read(query)
      assert.deepEqual([numbersOf(body), eventNumber(body.meta.next_after)], [[4], 7], query)
    }
    for (const type of ['key.created', 'token.created', 'webhook.updated']) {
      const refused = await read(`?type=asset.ready,${type}`)
      assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden'])
    }
    const stream = await anEventStream(t, service.baseUrl, { query: '?after=0', headers })
    await until('the event arrives', () => stream.events.length > 0)
    assert.equal(stream.events[0]?.type, 'asset.ready')
  }
  const { text, body } = await call('GET', `${API}/events`)
  const [created, requested, rotated] = body.data.slice(4)
  const actor = { type: 'key', id: keys.manage.id, name: 'manage' }
  const data = {
    id: webhook.id,
    origin: 'https://shop.example',
    description: '',
    types: null,
    enabled: true,
    disabled_reason: null,
    created_at: webhook.created_at,
    updated_at: webhook.created_at,
    changed: [],
  }
  assert.deepEqual([created.type, created.actor, created.data], ['webhook.created', actor, data])
  assert.deepEqual([rotated.type, rotated.data.changed], ['webhook.updated', ['secret']])
  assert.equal(requested.type, 'token.created')
  assert.deepEqual(requested.data, {
    id: token.id,
    max_bytes: 9,
    max_files: 1,
    mime: ['image/*'],
    origin: null,
    replace: null,
    expires_at: token.expires_at,
  })
  for (const secret of [webhook.secret, token.token, 'secret-path'])
    assert.ok(!text.includes(secret))
})

test('a service without keys records changes as anonymous', async (t) => {
  const service = await aService(t)
  await addLink(service)
  const { data } = await eventsAfter(service, '')
  assert.deepEqual(data[0]?.actor, { type: 'anonymous', id: null, name: null })
})

test('pages of events continue after the last ID, and can be filtered by type', async (t) => {
  const service = await aService(t)
  for (let count = 0; count < 3; count += 1) {
    const id = await addLink(service)
    await service.call('DELETE', `${API}/assets/${id}`)
  }
  const first = await eventsAfter(service, '?limit=4')
  assert.deepEqual(numbersOf(first), [1, 2, 3, 4])
  const { next_after, last_id } = first.meta
  assert.deepEqual([next_after, first.meta.has_more], [first.data[3]?.id, true])
  const second = await eventsAfter(service, `?limit=4&after=${first.meta.next_after}`)
  assert.deepEqual([numbersOf(second), second.meta.has_more], [[5, 6], false])
  const end = await eventsAfter(service, `?after=${second.meta.next_after}`)
  assert.deepEqual(end, { data: [], meta: { next_after: last_id, has_more: false, last_id } })
  assert.equal(last_id, second.data[1]?.id)
  const ready = await eventsAfter(service, '?type=asset.ready&limit=2')
  const third = first.data[2]?.id
  assert.deepEqual([numbersOf(ready), ready.meta.next_after], [[1, 3], third])
  const rest = await eventsAfter(service, `?type=asset.ready,key.created&after=${third}`)
  assert.deepEqual([numbersOf(rest), rest.meta.next_after], [[5], last_id])
})

test('an invalid parameter of the list of events is refused, and the error names it', async (t) => {
  const service = await aService(t)
  const queries = { after: ['-1', 'x', '1.5'], type: ['asset', 'asset.ready,', ''], limit: ['0'] }
  for (const [name, values] of Object.entries(queries)) {
    for (const value of values) {
      const { status, body } = await service.call('GET', `${API}/events?${name}=${value}`)
      assert.deepEqual([status, Object.keys(body.errors)], [422, [name]], `${name}=${value}`)
    }
  }
})

test('the service removes the oldest events of an account whose events have too many bytes, and readers get 410', async (t) => {
  const service = await aService(t, { STOWAGE_EVENTS_SIZE: '1MB' })
  const tags = Array.from({ length: 250 }, (_, index) => `${index}`.padEnd(200, 'x'))
  const products = Array.from({ length: 30 }, (_, index) => {
    return { product_id: index, variant_id: 1, name: `Presets ${index}`, tags }
  })
  const put = await service.call('PUT', `${API}/products`, { products })
  assert.equal(put.status, 200)
  await until('the oldest events are removed', async () => {
    return (await service.call('GET', `${API}/events?after=0`)).status === 410
  })
  const { body } = await service.call('GET', `${API}/events`)
  const numbers = numbersOf(body)
  assert.ok(JSON.stringify(body.data).length < 1_500_000)
  assert.deepEqual([Number(numbers[0]) > 8, numbers.at(-1)], [true, 30])
})

test('a reader whose events were removed gets 410, and can still read the remaining events', async (t) => {
  const service = await aService(t)
  const { context } = service
  for (let count = 0; count < 3; count += 1) await addLink(service)
  const { data } = await eventsAfter(service, '')
  await forgetEvents({ ...context, settings: { ...context.settings, eventsForMs: -1 } }, NEVER)
  await addLink(service)
  const { status, body } = await service.call('GET', `${API}/events?after=${data[1]?.id}`)
  assert.deepEqual([status, body.code], [410, 'events_forgotten'])
  assert.deepEqual(numbersOf(await eventsAfter(service, `?after=${data[2]?.id}`)), [4])
  const remaining = await eventsAfter(service, '')
  assert.deepEqual([numbersOf(remaining), body.last_id], [[4], remaining.data[0]?.id])
})

test('after a restore from a backup, a reader of lost events gets 410, and other readers continue', async (t) => {
  const lost = await aService(t)
  for (let count = 0; count < 5; count += 1) await addLink(lost)
  const before = await eventsAfter(lost, '')
  const [, , third, fourth, fifth] = before.data.map(({ id }) => id)

  // The backup has the first three events.
  const service = await aService(t)
  const { database } = service.context
  const [own, other] = await Promise.all(
    [database, lost.context.database].map(async (one) => {
      const [account] = await one.listAccounts()
      return one.of(account?.id ?? assert.fail())
    }),
  )
  const { events } = (await other?.listEvents({ after: 0, limit: 3 })) ?? assert.fail()
  await own?.importEvents({ events, lastId: 3, forgottenId: 0 })

  const STREAM = { Accept: 'text/event-stream' }
  async function checkReset(id: number | undefined, last: number | undefined): Promise<void> {
    const { status, body } = await service.call('GET', `${API}/events?after=${id}`)
    assert.deepEqual([status, body.code, body.last_id], [410, 'events_reset', last])
    const stream = await service.call('GET', `${API}/events?after=${id}`, undefined, STREAM)
    assert.equal(stream.body.code, 'events_reset')
    const headers = { ...STREAM, 'Last-Event-ID': `${id}` }
    assert.equal((await service.call('GET', `${API}/events`, undefined, headers)).status, 410)
  }
  for (const id of [fourth, fifth]) await checkReset(id, third)
  // New events use the same numbers again.
  for (let count = 0; count < 4; count += 1) await addLink(service)
  const after = await eventsAfter(service, `?after=${third}`)
  assert.deepEqual(numbersOf(after), [4, 5, 6, 7])
  const last = after.data[3]?.id
  for (const id of [fourth, fifth]) await checkReset(id, last)
  assert.deepEqual((await eventsAfter(service, `?after=${last}`)).data, [])
  const stream = await anEventStream(t, service.baseUrl, { query: `?after=${third}` })
  await until('the stream continues', () => stream.events.length === 4)
})
