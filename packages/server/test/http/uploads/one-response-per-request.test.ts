import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { aRawConnection } from '../../support/raw-connection.ts'

const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'

function statuses(received: string): number[] {
  return Array.from(received.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status))
}

test('a request that is refused before its body is read gets one response, even if the body is malformed', async (t) => {
  const { baseUrl } = await aService(t)
  const connection = aRawConnection(t, baseUrl)
  const head = 'POST /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n'
  connection.socket.write(`${head}-5\r\nabcde\r\n0\r\n\r\n`)
  await connection.closed()
  assert.deepEqual(statuses(connection.received()), [404])
})

test('after a request with a refused body, the next request on the connection gets its response', async (t) => {
  const { baseUrl } = await aService(t)
  const bodies = { 'not UTF-8': '\x80', 'too deep': '['.repeat(40), 'not JSON': '{' }
  for (const [name, body] of Object.entries(bodies)) {
    const { socket, waitFor, received } = aRawConnection(t, baseUrl)
    const head = `POST ${API}/assets/signed HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n`
    const request = `${head}Content-Length: ${body.length}\r\n\r\n${body}`
    socket.write(Buffer.from(request + HEALTH, 'latin1'))
    await waitFor('{"status":"ok"}')
    assert.deepEqual(statuses(received()), [400, 200], name)
  }
})

test('CONNECT is refused with an error code, after the responses to earlier requests on the connection', async (t) => {
  const { baseUrl } = await aService(t)
  const connection = aRawConnection(t, baseUrl)
  connection.socket.write(`${HEALTH}CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n`)
  await connection.closed()
  assert.deepEqual(statuses(connection.received()), [200, 405])
  assert.match(connection.received(), /"code":"method_not_allowed"}$/)
})
