import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { countUnreadBytes, openStream } from './event-stream.ts'

const LARGE = { id: 1, type: 'asset.ready', message: Buffer.alloc(64 * 1024, 'x') } as const
const ACCOUNT = { accountId: 'shop', unread: countUnreadBytes() }
/** More large events than the operating system buffers for a connection. */
const MAX_SENT = 500

/** A client that has read the headers, and reads nothing more until `socket.resume()` is called. */
async function aClient(t: TestContext): Promise<{ response: ServerResponse; socket: Socket }> {
  const server = createServer()
  cleanUp(t, () => {
    server.closeAllConnections()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  cleanUp(t, () => socket.destroy())
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse]
  response.flushHeaders()
  await once(socket, 'data')
  socket.pause()
  return { response, socket }
}

test('a client that does not read gets no more events and is disconnected, and the buffer for it stays small', async (t) => {
  const { response } = await aClient(t)
  const stream = openStream(response, 0, ACCOUNT)
  let sent = 0
  let isBehind = false
  for (; sent < MAX_SENT && !isBehind; sent += 1) {
    isBehind = stream.send([LARGE, LARGE]) < 2
    assert.ok(response.writableLength < 500_000, `${response.writableLength}`)
    await nextTurn()
  }
  assert.ok(isBehind)
  assert.equal(stream.isClosed(), false)
  assert.deepEqual([stream.send([LARGE]), stream.isReady()], [0, false])
  const before = response.writableLength
  stream.sendPosition(2)
  assert.equal(response.writableLength, before)
  stream.closeIfStalled(60_000)
  assert.equal(stream.isClosed(), false)
  const waiting = stream.untilReady()
  stream.closeIfStalled(-1)
  await waiting
  assert.ok(stream.isClosed())
  // A closed stream ignores all further calls.
  stream.send([LARGE])
  stream.end()
})

test('a stream is ready again when its client has read everything, or has disconnected', async (t) => {
  const { response, socket } = await aClient(t)
  const stream = openStream(response, 7, ACCOUNT)
  let isReady = false
  while (stream.send([LARGE]) > 0) await nextTurn()
  const waiting = stream.untilReady().then(() => {
    isReady = true
  })
  await nextTurn()
  assert.equal(isReady, false)
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString().replaceAll(/x+/g, 'x')
  })
  socket.resume()
  await waiting
  assert.ok(stream.isReady())
  stream.closeIfStalled(-1)
  assert.equal(stream.isClosed(), false)
  stream.end()
  await once(socket, 'end')
  assert.match(text, /^retry: \d+\nid: 7\n$/m)
  assert.ok(ACCOUNT.unread.hasRoom('shop', { isRead: false }))
})

test('streams that are never read use a limited amount of memory, and leave some to other streams and accounts', async (t) => {
  const unread = countUnreadBytes()
  const hasRoom = (account: string) =>
    [false, true].map((isRead) => unread.hasRoom(account, { isRead }))
  unread.add('another', 10_000_000)
  assert.deepEqual(
    [hasRoom('another'), hasRoom('shop')],
    [
      [false, true],
      [true, true],
    ],
  )
  const { response } = await aClient(t)
  const stream = openStream(response, 0, { accountId: 'another', unread })
  await until('the first message is sent', () => response.writableLength === 0)
  // The client reads, so it gets an event, and then the next one.
  assert.equal(stream.send([LARGE, LARGE]), 1)
  await until('the event is sent', () => response.writableLength === 0)
  assert.equal(stream.send([LARGE]), 1)

  unread.add('another', 10_000_000)
  assert.deepEqual(
    [hasRoom('another'), hasRoom('shop')],
    [
      [false, false],
      [true, true],
    ],
  )
  assert.deepEqual([stream.isReady(), stream.send([LARGE])], [false, 0])
  let isReady = false
  const waiting = stream.untilReady().then(() => {
    isReady = true
  })
  await until('the event is sent', () => response.writableLength === 0)
  unread.add('another', -1_000_000)
  await nextTurn()
  assert.equal(isReady, false)
  unread.add('another', -10_000_000)
  await waiting
  assert.equal(stream.send([LARGE]), 1)
  // All accounts together have a limit, too.
  for (const account of 'abcdefgh') unread.add(account, 8_000_000)
  assert.deepEqual(hasRoom('shop'), [false, true])
  for (const account of 'abcdefgh') unread.add(account, 8_000_000)
  assert.deepEqual(hasRoom('shop'), [false, false])
})

test('a stream that waits for memory continues when other accounts have room again, and when a heartbeat was read', async (t) => {
  const unread = countUnreadBytes()
  const { response } = await aClient(t)
  const stream = openStream(response, 0, { accountId: 'shop', unread })
  await until('the first message is sent', () => response.writableLength === 0)
  for (const account of 'abcdefg') unread.add(account, 15_000_000)
  unread.add('full', 30_000_000)
  const waiting = stream.untilReady()
  // The other account is still full itself.
  unread.add('full', -2_000_000)
  await waiting
  assert.ok(stream.isReady())

  for (const account of 'abcdefg') unread.add(account, -15_000_000)
  unread.add('shop', 17_000_000)
  const again = stream.untilReady()
  stream.sendPosition(1)
  // There is room for streams that have read everything. The heartbeat is not read yet.
  unread.add('shop', -5_000_000)
  assert.equal(stream.isReady(), false)
  await again
  assert.ok(stream.isReady())
})

test('a client that does not read is disconnected soon after the end of its stream', async (t) => {
  const { response, socket } = await aClient(t)
  const stream = openStream(response, 0, { ...ACCOUNT, endMs: 100 })
  while (stream.send([LARGE]) > 0) await nextTurn()
  stream.end()
  stream.end()
  assert.equal(response.destroyed, false)
  await until('the client is disconnected', () => response.destroyed)
  socket.resume()
  await once(socket, 'close')
})
