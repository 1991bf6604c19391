import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, isStowageError, type StowageEvent } from '@stowage/client'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { startTcpProxy } from '@stowage/testing/proxies/tcp-proxy'
import { ADMIN_KEY } from '@stowage/testing/service/accounts'
import { aDeployment, aService } from '@stowage/testing/service/service'
import { aFaultProxy } from './support/fault-proxy.ts'

const RETRY = { firstMs: 1, longestMs: 20 }
const URL_OF_LINK = 'https://example.com/a.zip'

test('events are yielded once each, in order, although the connection is reset again and again', async (t) => {
  const { baseUrl } = await aService(t)
  const direct = createClient({ baseUrl })
  const proxy = await startTcpProxy(Number(new URL(baseUrl).port))
  cleanUp(t, () => proxy.stop())
  const client = createClient({ baseUrl: `http://127.0.0.1:${proxy.port}`, retry: RETRY })
  const opened: number[] = []
  const seen: StowageEvent[] = []
  const stop = new AbortController()
  const reading = (async () => {
    const options = { onOpen: (after: number) => opened.push(after), signal: stop.signal }
    for await (const event of client.events(options)) seen.push(event)
  })()
  await until('the stream is open', () => opened.length > 0)
  for (let index = 1; index <= 60; index += 1) {
    await direct.store({ filename: `${index}`, url: URL_OF_LINK })
    if (index % 4 === 0) proxy.reset()
  }
  await until('all events arrive', () => seen.length >= 60)
  stop.abort(new Error('enough'))
  await assert.rejects(reading, { message: 'enough' })
  assert.ok(opened.length > 5, `${opened.length} connections`)
  assert.deepEqual(
    // The last six digits depend on the time.
    seen.map(({ id }) => Math.floor(id / 1e6)),
    Array.from({ length: 60 }, (_, index) => index + 1),
  )
  assert.deepEqual((await direct.listEvents({ limit: 60 })).data, seen)
})

test('events continue without a gap each time the service stops and another instance takes over', async (t) => {
  const deployment = await aDeployment(t)
  let service = await aService(t, {}, deployment)
  const api = await aFaultProxy(t, {
    target: () => service.baseUrl,
    fault: () => ({ kind: 'pass' }),
  })
  const client = createClient({ baseUrl: api.url, retry: RETRY })
  const names: unknown[] = []
  const stop = new AbortController()
  let isOpen = false
  const onOpen = () => {
    isOpen = true
  }
  const reading = (async () => {
    for await (const { data } of client.events({ signal: stop.signal, onOpen })) {
      names.push('filename' in data ? data.filename : '')
    }
  })()
  await until('the stream is open', () => isOpen)
  for (const name of ['a', 'b', 'c']) {
    await client.store({ filename: name, url: URL_OF_LINK })
    await service.close()
    service = await aService(t, {}, deployment)
  }
  await until('all events arrive', () => names.length >= 3)
  assert.deepEqual(names, ['a', 'b', 'c'])
  stop.abort()
  await assert.rejects(reading, { name: 'AbortError' })
})

test('events() filters by type, starts with older events, and ends when the loop is left', async (t) => {
  const { baseUrl } = await aService(t)
  const client = createClient({ baseUrl, retry: RETRY })
  const { id } = await client.store({ filename: 'a', url: URL_OF_LINK })
  await client.change(id, { filename: 'b' })
  await client.delete(id)
  for await (const event of client.events({ after: 0, type: 'asset.deleted' })) {
    assert.equal(event.type, 'asset.deleted')
    break
  }
  const newest = await client.listEvents({ order: 'desc', limit: 1 })
  assert.deepEqual(
    newest.data.map(({ type }) => type),
    ['asset.deleted'],
  )
})

test('events() does not connect again before the time in Retry-After', async (t) => {
  const { baseUrl } = await aService(t)
  await createClient({ baseUrl }).store({ filename: 'a.zip', url: URL_OF_LINK })
  const times: number[] = []
  const proxy = await aFaultProxy(t, {
    target: () => baseUrl,
    fault: () => {
      times.push(performance.now())
      if (times.length > 1) return { kind: 'pass' }
      return { kind: 'refuse', status: 503, headers: { 'Retry-After': '1' } }
    },
  })
  const events = createClient({ baseUrl: proxy.url, retry: RETRY }).events({ after: 0 })
  assert.equal((await events.next()).value?.type, 'asset.ready')
  await events.return(undefined)
  const [refused = 0, accepted = 0] = times
  // A timer may end a fraction of a millisecond early.
  assert.ok(accepted - refused > 990, `${accepted - refused} ms`)
})

test('events() rejects if the key is invalid, the service is never reached, or the server is not Stowage', async (t) => {
  const { baseUrl } = await aService(t, { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: ADMIN_KEY })
  const wrong = createClient({ baseUrl, apiKey: 'wrong', retry: RETRY })
  await assert.rejects(wrong.events().next(), (error) => isStowageError(error, 'unauthenticated'))
  const unreachable = createClient({ baseUrl: 'http://127.0.0.1:1', retry: RETRY })
  await assert.rejects(unreachable.events().next(), (error) => isStowageError(error, 'network'))
  const page = await aFaultProxy(t, {
    target: () => baseUrl,
    fault: () => ({ kind: 'refuse', status: 200, body: '<html>' }),
  })
  const elsewhere = createClient({ baseUrl: page.url, retry: RETRY })
  await assert.rejects(elsewhere.events().next(), (error) => isStowageError(error, 'bad_response'))
})
