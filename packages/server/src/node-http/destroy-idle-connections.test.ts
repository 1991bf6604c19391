import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { destroyIdleConnections } from './destroy-idle-connections.ts'

const IDLE_MS = 50

async function aServer(t: TestContext, handle: RequestListener) {
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
  const { client, socket } = await aServer(t, (_request, response) => {
    response.end(Buffer.alloc(50_000_000))
  })
  client.pause()
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'close')
})

test('a client that stops sending its body is disconnected', async (t) => {
  const { client, socket } = await aServer(t, () => {})
  client.write('PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc')
  await once(socket, 'close')
})

test('a client that does not close its side after the server has closed its own is disconnected', async (t) => {
  const { client, socket } = await aServer(t, (_request, response) => {
    response.end()
    response.socket?.end()
  })
  client.resume()
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'close')
})

test('a client that waits for its response is not disconnected, however long that takes', async (t) => {
  let timeouts = 0
  const { client } = await aServer(t, (request, response) => {
    request.socket.on('timeout', () => {
      timeouts += 1
      if (timeouts === 3) response.end('late')
    })
  })
  client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  const chunks: Buffer[] = await Array.fromAsync(client)
  assert.match(Buffer.concat(chunks).toString(), /late$/)
})
