import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { anHttpServer } from '@stowage/testing/machine/ports'
import { until } from '@stowage/testing/machine/until'
import { ADMIN_KEY, aKeyedService, anAccount } from '@stowage/testing/service/accounts'
import { largeProducts } from '@stowage/testing/service/connections'
import { anEventStream, type ReadStream } from '@stowage/testing/service/events'
import type { TestService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { type Event, eventNumber, publicEventId } from '../../../src/domain/event.ts'
import { openEventStreams } from '../../../src/http/event-streams.ts'
import type { Credentials } from '../../../src/operations/authentication.ts'
import { type Follower, openFeeds } from '../../../src/operations/feeds.ts'

interface Reader {
  accountId: string
  keyId: string
  credentials: Credentials
}

/** Opens an event stream with frequent heartbeats, on a separate HTTP server. */
async function openStream(
  t: TestContext,
  service: TestService,
  of: Reader,
  position = 0,
): Promise<ReadStream> {
  const toText = ({ id, createdAt }: Event) => JSON.stringify({ id: publicEventId(id, createdAt) })
  const streams = openEventStreams(service.context, toText, 20)
  cleanUp(t, () => streams.close())
  const url = await anHttpServer(t, (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' })
    streams.admit({ ...of, types: ['asset.ready'] }).start(response, position)
  })
  return anEventStream(t, url)
}

test('a quiet stream reports its position, so that a client that reconnects skips events of other types', async (t) => {
  const service = await aKeyedService(t)
  const { id, keys, call } = await anAccount(service, { name: 'shop' })
  const stream = await openStream(t, service, {
    accountId: id,
    keyId: keys.read.id,
    credentials: { authorization: `Bearer ${keys.read.secret}`, sessionToken: undefined },
  })
  const products = [{ product_id: 1, variant_id: 1, name: 'Pack' }]
  await call('PUT', `${API}/products`, { products })
  // This is the ID of the fourth event: three keys and a product were created.
  await until('the position is sent', () => eventNumber(Number(stream.lastId())) === 4)
  assert.deepEqual(stream.events, [])
  const link = { filename: 'a', url: 'https://example.com/a.zip' }
  await call('POST', `${API}/assets/store`, link)
  await until('the event arrives', () => stream.events.length === 1)
  assert.equal(stream.isEnded(), false)
})

test('a stream ends if the database does not have its last event, because it was restored from a backup', async (t) => {
  const service = await aKeyedService(t)
  const { id, keys, call } = await anAccount(service, { name: 'shop' })
  const reader = {
    accountId: id,
    keyId: keys.read.id,
    credentials: { authorization: `Bearer ${keys.read.secret}`, sessionToken: undefined },
  }
  const { body } = await call('GET', `${API}/events`)
  const last: number = body.meta.last_id
  const current = await openStream(t, service, reader, last)
  for (const position of [last + 1, publicEventId(9, new Date())]) {
    const stream = await openStream(t, service, reader, position)
    await until('the stream ends', () => stream.isEnded())
  }
  assert.equal(current.isEnded(), false)
})

test('a stream ends soon after its user has signed out', async (t) => {
  const service = await aKeyedService(t)
  const { id, keys } = await anAccount(service, { name: 'default' })
  const headers = { Authorization: `Bearer ${ADMIN_KEY}` }
  const signedIn = await service.call('POST', `${API}/session`, {}, headers)
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const sessionToken = cookie.split('=')[1]
  const stream = await openStream(t, service, {
    accountId: id,
    keyId: keys.read.id,
    credentials: { authorization: undefined, sessionToken },
  })
  await until('the position is sent', () => stream.lastId() !== undefined)
  assert.equal(stream.isEnded(), false)
  const cookieHeaders = { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' }
  const signedOut = await service.call('DELETE', `${API}/session`, undefined, cookieHeaders)
  assert.equal(signedOut.status, 200)
  await until('the stream ends', () => stream.isEnded())
})

test('clients that disconnect before their streams start do not count as streams', async (t) => {
  const service = await aKeyedService(t)
  const { id: accountId, keys } = await anAccount(service, { name: 'shop' })
  const streams = openEventStreams(service.context, ({ id }) => JSON.stringify({ id }))
  cleanUp(t, () => streams.close())
  const credentials = { authorization: `Bearer ${keys.read.secret}`, sessionToken: undefined }
  const reader = { accountId, keyId: keys.read.id, credentials, types: undefined }
  const url = await anHttpServer(t, (_request, response) => {
    response.destroy()
    response.once('close', () => {
      // Only here, one response has many streams.
      response.setMaxListeners(0)
      for (let count = 0; count < 200; count += 1) streams.admit(reader).start(response, 0)
    })
  })
  await assert.rejects(fetch(url))
  streams.admit(reader).release()
})

test('an account cannot use all streams of an instance, whatever the number of its keys', async (t) => {
  const { context } = await aKeyedService(t)
  const streams = openEventStreams(context, ({ id }) => JSON.stringify({ id }))
  cleanUp(t, () => streams.close())
  const credentials = { authorization: undefined, sessionToken: undefined }
  const admit = (accountId: string, keyId: string) =>
    streams.admit({ accountId, keyId, credentials, types: undefined })
  const admitted = Array.from({ length: 1_000 }, (_, index) => admit('one', `key ${index % 20}`))
  assert.throws(() => admit('one', 'another key'), { code: 'too_many_streams' })
  admit('other', 'key of other').release()
  admitted[0]?.release()
  admit('one', 'another key')
  assert.throws(() => admit('one', 'another key'), { code: 'too_many_streams' })
})

test('streams that read older events take turns: one page at a time per account, and two per instance', async (t) => {
  const service = await aKeyedService(t)
  const { database } = service.context
  const running: string[] = []
  const highest = { ofAccount: 0, ofInstance: 0 }
  let reads = 0
  const of: typeof database.of = (accountId, actor) => {
    const data = database.of(accountId, actor)
    const listEvents: typeof data.listEvents = async (query) => {
      // New events are read for streams of all types.
      if (query.types === undefined) return data.listEvents(query)
      reads += 1
      running.push(accountId)
      const own = running.filter((other) => other === accountId)
      highest.ofAccount = Math.max(highest.ofAccount, own.length)
      highest.ofInstance = Math.max(highest.ofInstance, running.length)
      await nextTurn()
      const page = await data.listEvents(query)
      running.splice(running.indexOf(accountId), 1)
      return page
    }
    return { ...data, listEvents }
  }
  const context = { ...service.context, database: { ...database, of } }
  const feeds = openFeeds(context, {
    toMessage: ({ data }) => Buffer.from(JSON.stringify(data)),
    onEndedCredential() {},
  })
  cleanUp(t, () => feeds.close())

  // The bytes that are sent before other requests get their turn.
  let bytes = 0
  let mostBytes = 0
  const received: number[] = []
  const following: Promise<void>[] = []
  const accounts = []
  for (const name of ['one', 'two', 'three']) accounts.push(await anAccount(service, { name }))
  for (const { call } of accounts) {
    assert.equal((await call('PUT', `${API}/products`, largeProducts(1))).status, 200)
  }
  for (const { id } of accounts) {
    for (let count = 0; count < 5; count += 1) {
      const index = received.push(0) - 1
      const follower: Follower = {
        types: new Set(['product.updated']),
        position: 0,
        send(events) {
          for (const { message } of events) bytes += message.length
          mostBytes = Math.max(mostBytes, bytes)
          setImmediate(() => {
            bytes = 0
          })
          received[index] = (received[index] ?? 0) + events.length
          return events.length
        },
        isClosed: () => false,
        isReady: () => true,
        untilReady: async () => {},
        onBehind() {},
        onEnd() {},
      }
      following.push(feeds.follow(id, follower))
    }
  }
  await Promise.all(following)
  await until('all are sent', () => received.every((count) => count === 25))
  assert.deepEqual(highest, { ofAccount: 1, ofInstance: 2 })
  // An account has 13 pages of older events, which its streams share.
  assert.ok(reads < 3 * 30, `${reads} pages`)
  assert.ok(mostBytes < 500_000, `${mostBytes} bytes`)
})
