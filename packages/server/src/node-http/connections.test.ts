import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import { destroyIdleConnections, trackConnections } from './connections.ts'

/** Longer than any test. */
const NEVER = 600_000
/** Larger than the buffers between client and server. */
const LONG = 64_000_000

async function aTrackedServer(
  t: TestContext,
  respond: RequestListener,
  options: { withinMs?: number; lingerMs?: number },
) {
  const server = createServer(respond)
  // Node then never closes an idle connection, so only the tested function can.
  server.keepAliveTimeout = 0
  const closeConnections = trackConnections(server, options)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.closeAllConnections())
  const { port } = server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  client.on('error', () => {})
  t.after(() => client.destroy())
  let isClosed = false
  server.once('close', () => {
    isClosed = true
  })
  return {
    server,
    client,
    isClosed: () => isClosed,
    close() {
      server.close()
      closeConnections()
    },
    untilClosed: () => until('all connections are closed', () => isClosed, 20_000),
  }
}

/** Sends a request, closes the server while the request is running, and then responds. */
async function closeDuringRequest(t: TestContext, options: { lingerMs: number }) {
  const requested = Promise.withResolvers<() => void>()
  const tracked = await aTrackedServer(
    t,
    (_request, response) => requested.resolve(() => response.end('done')),
    options,
  )
  tracked.client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  const respond = await requested.promise
  tracked.close()
  respond()
  const [bytes] = await once(tracked.client, 'data')
  assert.match(String(bytes), /^HTTP\/1\.1 200 /)
  return tracked
}

test('a client that never closes its side after the response is disconnected', async (t) => {
  const { untilClosed } = await closeDuringRequest(t, { lingerMs: 50 })
  await untilClosed()
})

test('the server closes its side after the response, and waits for the client to close its own', async (t) => {
  const { client, isClosed, untilClosed } = await closeDuringRequest(t, { lingerMs: NEVER })
  await once(client, 'end')
  assert.equal(isClosed(), false)
  client.end()
  await untilClosed()
})

test('a connection that has never sent a request is closed immediately', async (t) => {
  const { server, close, untilClosed } = await aTrackedServer(t, () => {}, {})
  await once(server, 'connection')
  close()
  await untilClosed()
})

test('a response that the client is still reading arrives completely', async (t) => {
  const requested = Promise.withResolvers<void>()
  const { client, close, untilClosed } = await aTrackedServer(
    t,
    (_request, response) => {
      response.end(Buffer.alloc(LONG))
      requested.resolve()
    },
    {},
  )
  client.pause()
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await requested.promise
  close()
  let received = 0
  client.on('data', (bytes) => {
    received += bytes.length
  })
  client.resume()
  await Promise.race([once(client, 'end'), once(client, 'close')])
  assert.ok(received > LONG, `${received}`)
  await untilClosed()
})

test('a client that never reads its response is disconnected after the timeout', async (t) => {
  const requested = Promise.withResolvers<void>()
  const { client, close, untilClosed } = await aTrackedServer(
    t,
    (_request, response) => {
      response.end(Buffer.alloc(LONG))
      requested.resolve()
    },
    { withinMs: 50 },
  )
  client.pause()
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await requested.promise
  close()
  await untilClosed()
})

const IDLE_MS = 50

async function aServerWithIdleLimit(t: TestContext, handle: RequestListener) {
  const server = createServer(handle)
  server.keepAliveTimeout = IDLE_MS
  destroyIdleConnections(server, IDLE_MS)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const accepted = once(server, 'connection')
  const { port } = server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  client.on('error', () => {})
  t.after(() => client.destroy())
  const [socket] = await accepted
  return { client, socket }
}

test('a client that never reads its response is disconnected', async (t) => {
  const { client, socket } = await aServerWithIdleLimit(t, (_request, response) => {
    response.end(Buffer.alloc(50_000_000))
  })
  client.pause()
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'close')
})

test('a client that stops sending its body is disconnected', async (t) => {
  const { client, socket } = await aServerWithIdleLimit(t, () => {})
  client.write('PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc')
  await once(socket, 'close')
})

test('a client that does not close its side after the server has closed its own is disconnected', async (t) => {
  const { client, socket } = await aServerWithIdleLimit(t, (_request, response) => {
    response.end()
    response.socket?.end()
  })
  client.resume()
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'close')
})

test('a client that waits for its response is not disconnected, however long that takes', async (t) => {
  let timeouts = 0
  const { client } = await aServerWithIdleLimit(t, (request, response) => {
    request.socket.on('timeout', () => {
      timeouts += 1
      if (timeouts === 3) response.end('late')
    })
  })
  client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  const chunks: Buffer[] = await Array.fromAsync(client)
  assert.match(Buffer.concat(chunks).toString(), /late$/)
})
