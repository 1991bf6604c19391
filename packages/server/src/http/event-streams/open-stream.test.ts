import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { openStream } from './open-stream.ts'

const LARGE = { id: 1, type: 'asset.ready', text: 'x'.repeat(64 * 1024) } as const
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
  const stream = openStream(response, 0, { drainMs: 100 })
  let sent = 0
  let isBehind = false
  for (; sent < MAX_SENT && !isBehind; sent += 1) {
    isBehind = stream.send([LARGE, LARGE]) < 2
    assert.ok(response.writableLength < 500_000, `${response.writableLength}`)
    await nextTurn()
  }
  assert.ok(isBehind)
  assert.equal(stream.isClosed(), false)
  assert.equal(stream.send([LARGE]), 0)
  const before = response.writableLength
  stream.sendPosition(2)
  assert.equal(response.writableLength, before)
  await stream.sendSlowly([LARGE, LARGE])
  assert.ok(stream.isClosed())
  // A closed stream ignores all further calls.
  stream.send([LARGE])
  stream.end()
})

test('older events are sent at the speed of the client, until it has all of them or disconnects', async (t) => {
  const { response, socket } = await aClient(t)
  const stream = openStream(response, 7)
  const events = Array.from({ length: MAX_SENT }, (_, index) => ({ ...LARGE, id: index + 8 }))
  let isSent = false
  const sending = stream.sendSlowly(events).then(() => {
    isSent = true
  })
  let text = ''
  socket.on('data', (chunk) => {
    assert.ok(response.writableLength < 400_000, `${response.writableLength}`)
    text += chunk.toString().replaceAll(/x+/g, 'x')
  })
  await until('the client is behind', () => response.writableNeedDrain)
  assert.equal(isSent, false)
  socket.resume()
  await sending
  stream.end()
  await once(socket, 'end')
  assert.match(text, /^retry: \d+\nid: 7\n$/m)
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
  assert.deepEqual(ids, [7, ...events.map(({ id }) => id)])

  const other = await aClient(t)
  const unread = openStream(other.response, 7)
  const waiting = unread.sendSlowly(events)
  other.socket.destroy()
  await waiting
  assert.ok(unread.isClosed())
})

test('a client that does not read is disconnected soon after the end of its stream', async (t) => {
  const { response, socket } = await aClient(t)
  const stream = openStream(response, 0, { endMs: 100 })
  while (stream.send([LARGE]) > 0) await nextTurn()
  stream.end()
  stream.end()
  assert.equal(response.destroyed, false)
  await until('the client is disconnected', () => response.destroyed)
  socket.resume()
  await once(socket, 'close')
})
