import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { trackConnections } from './track-connections.ts'

/** Larger than the buffers between client and server. */
const LONG = 64_000_000

async function aServer(t: TestContext, respond: RequestListener, options?: { withinMs: number }) {
  const server = createServer(respond)
  const closeConnections = trackConnections(server, options)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.closeAllConnections())
  const { port } = server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  client.on('error', () => {})
  t.after(() => client.destroy())
  return {
    client,
    close() {
      const closed = once(server, 'close')
      server.close()
      closeConnections()
      return closed
    },
  }
}

test('a client that never closes its side after the response is disconnected', async (t) => {
  const requested = Promise.withResolvers<() => void>()
  const { client, close } = await aServer(t, (_request, response) =>
    requested.resolve(() => response.end('done')),
  )
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  const respond = await requested.promise
  const closed = close()
  respond()
  const [bytes] = await once(client, 'data')
  assert.match(String(bytes), /^HTTP\/1\.1 200 /)
  // The client has neither closed its side nor disconnected.
  await closed
})

test('a response that the client is still reading arrives completely', async (t) => {
  const requested = Promise.withResolvers<void>()
  const { client, close } = await aServer(t, (_request, response) => {
    response.end(Buffer.alloc(LONG))
    requested.resolve()
  })
  client.pause()
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await requested.promise
  const closed = close()
  let received = 0
  client.on('data', (bytes) => {
    received += bytes.length
  })
  client.resume()
  await Promise.race([once(client, 'end'), once(client, 'close')])
  assert.ok(received > LONG, `${received}`)
  await closed
})

test('a client that never reads its response is disconnected after the timeout', async (t) => {
  const requested = Promise.withResolvers<void>()
  const { client, close } = await aServer(
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
  await close()
})
