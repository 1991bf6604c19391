import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import { aProductToPut } from '@stowage/testing/service/shop'
import { API } from '@stowage/testing/service/upload'
import { aRawConnection } from '../../support/raw-connection.ts'

const BODY = JSON.stringify({ products: [aProductToPut({ variant_id: 1 })] })

function head(first: string, ...more: string[]): string {
  return [first, 'Host: 127.0.0.1', ...more, '', ''].join('\r\n')
}

const PUT_PRODUCTS = [
  'Content-Type: application/json',
  `Content-Length: ${BODY.length}`,
  'Expect: 100-continue',
]

test('a client that waits for 100 Continue gets it, and then the response', async (t) => {
  const service = await aService(t)
  const { socket, waitFor, received } = aRawConnection(t, service.baseUrl)
  socket.write(head(`PUT ${API}/products HTTP/1.1`, ...PUT_PRODUCTS))
  await waitFor('HTTP/1.1 100 Continue\r\n\r\n')
  assert.doesNotMatch(received(), / 200 /)
  socket.write(BODY)
  await waitFor('HTTP/1.1 200 OK')
  // The connection can be used for further requests.
  socket.write(head('GET /healthz HTTP/1.1'))
  await waitFor('{"status":"ok"}')
})

test('100 Continue is never within the response to a pipelined request', async (t) => {
  const service = await aService(t)
  const { socket, waitFor, received } = aRawConnection(t, service.baseUrl)
  // The second response is ready before the first one, and waits for its turn.
  socket.write(
    head(`GET ${API}/assets HTTP/1.1`) +
      head('GET /openapi.json HTTP/1.1', 'Expect: 100-continue') +
      head('GET /healthz HTTP/1.1'),
  )
  await waitFor('{"status":"ok"}')
  assert.doesNotMatch(received(), /\r\n\r\nHTTP\/1\.1 100 Continue\r\n\r\n\{/)
})

test('a pipelined request that expects 100 Continue gets it after the earlier response, and then its own response', async (t) => {
  const service = await aService(t)
  const { socket, waitFor, received } = aRawConnection(t, service.baseUrl)
  socket.write(
    head(`GET ${API}/assets HTTP/1.1`) + head(`PUT ${API}/products HTTP/1.1`, ...PUT_PRODUCTS),
  )
  await waitFor('HTTP/1.1 100 Continue\r\n\r\n')
  assert.match(received(), /^HTTP\/1\.1 200 OK/)
  socket.write(BODY)
  await waitFor('"variant_id":1')
})

test('a refused client does not get 100 Continue', async (t) => {
  const service = await aService(t, { STOWAGE_AUTH: 'keys' })
  for (const [line, status] of [
    [`PUT ${API}/products`, 401],
    ['PUT /nowhere', 404],
    [`DELETE ${API}/products`, 405],
  ]) {
    const { socket, closed, received } = aRawConnection(t, service.baseUrl)
    socket.write(head(`${line} HTTP/1.1`, ...PUT_PRODUCTS))
    await closed()
    assert.match(received(), new RegExp(`^HTTP/1.1 ${status} `))
  }
})

test('the service can shut down while it waits for a body after 100 Continue', async (t) => {
  const service = await aService(t)
  const { socket, waitFor } = aRawConnection(t, service.baseUrl)
  socket.write(head(`PUT ${API}/products HTTP/1.1`, ...PUT_PRODUCTS))
  await waitFor('100 Continue')
  const closing = service.close()
  socket.write(BODY)
  await waitFor('200 OK')
  socket.end()
  await closing
})

test('an HTTP/1.0 client never gets 100 Continue', async (t) => {
  const service = await aService(t)
  const { socket, waitFor, received } = aRawConnection(t, service.baseUrl)
  socket.write(head(`PUT ${API}/products HTTP/1.0`, ...PUT_PRODUCTS) + BODY)
  await waitFor(' 200 OK')
  assert.doesNotMatch(received(), /100 Continue/)
})

test('an unknown expectation is refused with a reason', async (t) => {
  const service = await aService(t)
  const { socket, waitFor, received } = aRawConnection(t, service.baseUrl)
  socket.write(head('GET /healthz HTTP/1.1', 'Expect: foo'))
  await waitFor('}')
  const [response = '', json = ''] = received().split('\r\n\r\n')
  assert.match(response, /^HTTP\/1.1 417 /)
  assert.match(response, /x-request-id: /i)
  assert.equal(JSON.parse(json).code, 'expectation_failed')
})

test('a valid request that is followed by garbage gets its response, and the garbage gets 400', async (t) => {
  const service = await aService(t)
  const { socket, closed, received } = aRawConnection(t, service.baseUrl)
  socket.write(
    `${head(`GET ${API}/assets HTTP/1.1`)}${head('GET /healthz HTTP/1.1')}\0junk\r\n\r\nmore junk`,
  )
  await closed()
  const statuses = [...received().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
  assert.deepEqual(statuses, ['200', '200', '400'])
  assert.match(received(), /"code":"malformed_request"\}$/)
})

test('a body with malformed chunks immediately gets 400', async (t) => {
  const service = await aService(t)
  const { socket, closed, received } = aRawConnection(t, service.baseUrl)
  const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked']
  socket.write(`${head(`PUT ${API}/products HTTP/1.1`, ...chunked)}zz\r\n`)
  await closed()
  assert.match(received(), /^HTTP\/1.1 400 /)
})
