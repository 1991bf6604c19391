import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import { aService } from '@stowage/testing/service/service'
import { requestSession, someBytes } from '@stowage/testing/service/upload'
import { aRawConnection, type RawConnection } from '../support/raw-connection.ts'

test('with pipelined requests, a part that is sent again before the response to its first PUT gets 409, and then 200', async (t) => {
  const { baseUrl, storageUrl } = await aService(t, { STOWAGE_CHUNK_SIZE: '10' }, undefined, {
    ownThread: true,
  })
  const bytes = someBytes(20)
  const { urls } = await requestSession(baseUrl, { bytes })
  const connection = aRawConnection(t, storageUrl)
  const requests = [0, 1, 1].map((index) => {
    const { pathname, search, host } = new URL(urls[index]?.url ?? '')
    const head = `PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 10\r\n\r\n`
    return Buffer.concat([Buffer.from(head), bytes.subarray(index * 10, index * 10 + 10)])
  })
  connection.socket.write(Buffer.concat(requests))
  await until('all requests have a response', () => statusesOf(connection).length === 3)
  assert.deepEqual(statusesOf(connection), ['200', '409', '200'])
})

test('the disk storage sends one response to a refused part, even if its body is malformed, and refuses CONNECT', async (t) => {
  const { storageUrl } = await aService(t, {}, undefined, { ownThread: true })
  const messages = {
    403: 'PUT /uploads/a/b/1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nabcde\r\n',
    405: 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n',
  }
  for (const [status, message] of Object.entries(messages)) {
    const connection = aRawConnection(t, storageUrl)
    connection.socket.write(message)
    await connection.closed()
    assert.deepEqual(statusesOf(connection), [status])
  }
})

function statusesOf(connection: RawConnection): (string | undefined)[] {
  return Array.from(connection.received().matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => status)
}
