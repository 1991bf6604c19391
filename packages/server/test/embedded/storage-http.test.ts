import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import {
  downloadUrl,
  putPart,
  requestSession,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'
import { aRawConnection } from '../support/raw-connection.ts'

const BYTES = someBytes(10)

test('every response of the storage has an X-Request-Id, including errors', async (t) => {
  const { baseUrl } = await aService(t, {}, undefined, { ownThread: true })
  const session = await requestSession(baseUrl, { bytes: BYTES })
  const url = session.urls[0]?.url ?? ''
  const responses = [
    await putPart(url, BYTES),
    await putPart(`${url}x`, BYTES),
    await fetch(new URL('/nowhere', url)),
    await fetch(url, { method: 'DELETE' }),
  ]
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 403, 404, 405],
  )
  const ids = responses.map(({ headers }) => headers.get('x-request-id') ?? '')
  for (const id of ids) assert.match(id, /^[0-9a-f-]{36}$/)
  assert.equal(new Set(ids).size, ids.length)
  for (const { headers } of responses) {
    assert.match(headers.get('access-control-expose-headers') ?? '', /X-Request-Id/)
  }
})

test('the storage sends no 100 Continue to HTTP/1.0 clients, and refuses unknown expectations with a reason', async (t) => {
  const { baseUrl } = await aService(t, {}, undefined, { ownThread: true })
  const session = await requestSession(baseUrl, { bytes: BYTES })
  const { pathname, search, origin, host } = new URL(session.urls[0]?.url ?? '')
  const put = (version: string, expect: string) =>
    `PUT ${pathname}${search} HTTP/${version}\r\nHost: ${host}\r\nContent-Length: 10\r\nExpect: ${expect}\r\n\r\n`
  const old = aRawConnection(t, origin)
  old.socket.write(put('1.0', '100-continue'))
  old.socket.write(BYTES)
  await old.waitFor(' 200 OK')
  assert.doesNotMatch(old.received(), /100 Continue/)
  const strange = aRawConnection(t, origin)
  strange.socket.write(put('1.1', 'foo'))
  await strange.waitFor('}')
  assert.match(strange.received(), /^HTTP\/1\.1 417 .*"code":"expectation_failed"\}$/s)
})

test('downloads support If-Match and If-None-Match, with lists, weak tags and *', async (t) => {
  const { baseUrl } = await aService(t, {}, undefined, { ownThread: true })
  const { id } = await uploadFile(baseUrl, { bytes: BYTES })
  const url = await downloadUrl(baseUrl, id)
  const etag = (await fetch(url)).headers.get('etag') ?? ''
  const statusOf = async (headers: Record<string, string>) => (await fetch(url, { headers })).status
  const expected: [Record<string, string>, number][] = [
    [{ 'If-None-Match': etag }, 304],
    [{ 'If-None-Match': `W/${etag}` }, 304],
    [{ 'If-None-Match': `"other", W/"x,y" ,${etag}` }, 304],
    [{ 'If-None-Match': '*' }, 304],
    [{ 'If-None-Match': '"other"' }, 200],
    [{ 'If-None-Match': etag.slice(1, -1) }, 200],
    [{ 'If-None-Match': etag, Range: 'bytes=0-1' }, 304],
    [{ 'If-None-Match': '"other"', Range: 'bytes=0-1' }, 206],
    [{ 'If-Match': etag }, 200],
    [{ 'If-Match': `"other", ${etag}` }, 200],
    [{ 'If-Match': '*' }, 200],
    [{ 'If-Match': etag, Range: 'bytes=2-3' }, 206],
    [{ 'If-Match': '"other"' }, 412],
    [{ 'If-Match': '"other"', Range: 'bytes=2-3' }, 412],
    // If-Match uses strong comparison, in which a weak tag never matches.
    [{ 'If-Match': `W/${etag}` }, 412],
    [{ 'If-Match': '"other"', 'If-None-Match': etag }, 412],
    [{ 'If-None-Match': `"other", ${etag}`, Range: 'bytes=99-' }, 304],
  ]
  for (const [headers, status] of expected) {
    assert.equal(await statusOf(headers), status, JSON.stringify(headers))
  }
  const refused = await fetch(url, { headers: { 'If-Match': '"other"' } })
  const { code } = (await refused.json()) as { code: string }
  assert.deepEqual([code, refused.headers.get('etag')], ['precondition_failed', etag])
})
