import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import { ADMIN_KEY, aKeyedService, anAccount } from '@stowage/testing/service/accounts'
import { anEventStream } from '@stowage/testing/service/events'
import { aService, type TestService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { eventNumber } from '../../../src/domain/event.ts'

const STREAM = { Accept: 'text/event-stream' }

async function storeLink({ call }: Pick<TestService, 'call'>, filename: string): Promise<string> {
  const link = { filename, url: 'https://example.com/a.zip' }
  return (await call('POST', `${API}/assets/store`, link)).body.data.id
}

const names = (events: { data: object }[]) =>
  events.map(({ data }) => ('filename' in data ? data.filename : ''))

test('a stream sends each new event once, and continues after the last one', async (t) => {
  const service = await aService(t)
  await storeLink(service, 'before')
  const stream = await anEventStream(t, service.baseUrl)
  assert.equal(stream.headers.get('cache-control'), 'no-store')
  await until('the position is known', () => stream.lastId() !== undefined)
  await Promise.all(['a', 'b', 'c'].map((name) => storeLink(service, name)))
  await until('three events arrive', () => stream.events.length >= 3)
  assert.deepEqual(names(stream.events).toSorted(), ['a', 'b', 'c'])
  const page = await service.call('GET', `${API}/events`)
  assert.deepEqual(stream.events, page.body.data.slice(1))
  stream.close()

  await storeLink(service, 'd')
  const [, , second] = page.body.data
  for (const options of [
    { headers: { 'Last-Event-ID': `${second.id}` } },
    { query: `?after=${second.id}` },
    // A browser sends the URL again, and the position where it stopped.
    { query: '?after=0', headers: { 'Last-Event-ID': `${second.id}` } },
  ]) {
    const continued = await anEventStream(t, service.baseUrl, options)
    await storeLink(service, 'e')
    await until('the stream continues', () => names(continued.events).includes('e'))
    const first = eventNumber(second.id) + 1
    assert.deepEqual(
      continued.events.map(({ id }) => eventNumber(id)),
      continued.events.map((_, index) => first + index),
    )
    continued.close()
  }
})

test('a stream that starts far behind sends all older events in order, and then new ones', async (t) => {
  const service = await aService(t)
  const products = Array.from({ length: 1000 }, (_, index) => ({
    product_id: 1,
    variant_id: index + 1,
    name: 'Pack',
  }))
  assert.equal((await service.call('PUT', `${API}/products`, { products })).status, 200)
  const writing = Promise.all(Array.from({ length: 20 }, () => storeLink(service, 'new')))
  const streams = await Promise.all(
    Array.from({ length: 5 }, () => anEventStream(t, service.baseUrl, { query: '?after=0' })),
  )
  const filtered = await anEventStream(t, service.baseUrl, {
    query: '?after=0&type=asset.ready,asset.deleted',
  })
  await writing
  const everything = Array.from({ length: 1020 }, (_, index) => index + 1)
  for (const { events } of streams) {
    await until('all events arrive', () => events.length >= 1020)
    assert.deepEqual(
      events.map(({ id }) => eventNumber(id)),
      everything,
    )
  }
  await until('all events of the type arrive', () => filtered.events.length >= 20)
  assert.ok(filtered.events.every(({ type }) => type === 'asset.ready'))
  assert.equal(filtered.events.length, 20)
})

test('a stream ends when its key is revoked, and the number of streams per key is limited', async (t) => {
  const service = await aKeyedService(t)
  const one = await anAccount(service, { name: 'one' })
  const other = await anAccount(service, { name: 'other' })
  const open = (secret: string) =>
    anEventStream(t, service.baseUrl, {
      query: '?type=asset.ready',
      headers: { Authorization: `Bearer ${secret}` },
    })
  const reading = await open(one.keys.read.secret)
  const writing = await open(one.keys.write.secret)
  const ofOther = await open(other.keys.read.secret)
  const revoked = await one.call('DELETE', `${API}/keys/${one.keys.read.id}`)
  assert.equal(revoked.status, 200)
  // The timeout is shorter than the interval at which all open streams are checked.
  await until('the stream ends', () => reading.isEnded(), 10_000)
  await storeLink(one, 'a')
  await until('the event arrives', () => writing.events.length > 0)
  assert.deepEqual([writing.isEnded(), ofOther.events.length], [false, 0])

  const many = await Promise.all(Array.from({ length: 99 }, () => open(one.keys.write.secret)))
  const headers = { ...STREAM, Authorization: `Bearer ${one.keys.write.secret}` }
  const refused = await service.call('GET', `${API}/events`, undefined, headers)
  assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_streams'])
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  // Pages are still available, and closing a stream makes room for another.
  const authorized = { Authorization: headers.Authorization }
  assert.equal((await service.call('GET', `${API}/events`, undefined, authorized)).status, 200)
  many[0]?.close()
  await until('another stream can be opened', () =>
    open(one.keys.write.secret).then(
      () => true,
      () => false,
    ),
  )
})

test('the dashboard opens a stream with its session cookie until the user signs out, and pages of other origins cannot', async (t) => {
  const service = await aKeyedService(t)
  const signedIn = await service.call(
    'POST',
    `${API}/session`,
    {},
    {
      Authorization: `Bearer ${ADMIN_KEY}`,
    },
  )
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const headers = { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' }
  const stream = await anEventStream(t, service.baseUrl, { headers })
  const link = { filename: 'a', url: 'https://example.com/a.zip' }
  await service.call('POST', `${API}/assets/store`, link, headers)
  await until('the event arrives', () => stream.events.length === 1)
  assert.equal((await service.call('GET', `${API}/events`, undefined, STREAM)).status, 401)
  const signedOut = await service.call('DELETE', `${API}/session`, undefined, headers)
  assert.equal(signedOut.status, 200)
  // The timeout is shorter than the interval at which all open streams are checked.
  await until('the stream ends', () => stream.isEnded(), 10_000)
  const crossSite = { Cookie: cookie, 'Sec-Fetch-Site': 'cross-site', ...STREAM }
  assert.equal((await service.call('GET', `${API}/events`, undefined, crossSite)).status, 403)
})

test('streams end when the service stops, and do not delay it', async (t) => {
  const service = await aService(t)
  const stream = await anEventStream(t, service.baseUrl)
  const before = performance.now()
  await service.close()
  assert.ok(performance.now() - before < 10_000)
  await until('the stream ends', () => stream.isEnded())
})

test('an invalid query or Last-Event-ID is refused before the stream starts', async (t) => {
  const { call } = await aService(t)
  for (const query of ['?after=x', '?type=nonsense', '?after=-1']) {
    const { status, body } = await call('GET', `${API}/events${query}`, undefined, STREAM)
    assert.deepEqual([status, body.code], [422, 'invalid'], query)
  }
  const newestFirst = await call('GET', `${API}/events?order=desc`, undefined, STREAM)
  assert.match(newestFirst.body.message, /^order must not be desc for a stream/)
  const before = await call('GET', `${API}/events?before=5`, undefined, STREAM)
  assert.deepEqual(before.body.errors, { before: ['must be omitted for a stream'] })
  const headers = { ...STREAM, 'Last-Event-ID': 'x' }
  const { status } = await call('GET', `${API}/events`, undefined, headers)
  assert.equal(status, 422)
  const head = await call('HEAD', `${API}/events`, undefined, STREAM)
  assert.equal(head.status, 200)
})
