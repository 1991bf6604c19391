import assert from 'node:assert/strict'
import http, { type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { makeStorageUnavailable } from '@stowage/testing/engines/test-engines'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { aService } from '@stowage/testing/service/service'
import { API, someBytes, uploadFile } from '@stowage/testing/service/upload'
import { anOrder, aSoldFile, downloadedOf, ORDERS, press } from '../../support/orders.ts'

/* Runs on postgres+ceph. */

const PROXY = { STOWAGE_DELIVER: 'proxy' }

test('the service sends the ranges of a file on S3, and counts those that have the first byte', async (t) => {
  const service = await aService(t, PROXY)
  const { file, bytes } = await aSoldFile(service)
  const order = await anOrder(service, { max_downloads: 1 })
  const url = (await press(order, file.id)).headers.get('location') ?? ''
  const request = async (headers: Record<string, string> = {}, method = 'GET') => {
    const response = await fetch(url, { method, headers, redirect: 'manual' })
    const body = Buffer.from(await response.arrayBuffer())
    return { status: response.status, headers: response.headers, body }
  }
  const starts = async () =>
    (await service.call('GET', `${ORDERS}/${order.id}/downloads`)).body.data[0].starts
  const head = await request({}, 'HEAD')
  const etag = head.headers.get('etag') ?? ''
  assert.match(etag, /^"[\w-]{36}"$/)
  assert.deepEqual(
    ['content-length', 'accept-ranges', 'content-type'].map((name) => head.headers.get(name)),
    ['2500', 'bytes', 'application/octet-stream'],
  )
  for (const [headers, status, expected] of [
    [{ Range: 'bytes=100-199' }, 206, bytes.subarray(100, 200)],
    [{ Range: 'bytes=2400-' }, 206, bytes.subarray(2400)],
    [{ Range: 'bytes=-1', 'If-Range': etag }, 206, bytes.subarray(2499)],
    [{ 'If-None-Match': etag }, 304, Buffer.of()],
    [{ 'If-Match': '"other"' }, 412, undefined],
    [{ Range: 'bytes=2500-' }, 416, undefined],
  ] as const) {
    const response = await request(headers)
    assert.equal(response.status, status, JSON.stringify(headers))
    if (expected) assert.deepEqual(response.body, expected, JSON.stringify(headers))
    assert.equal(response.headers.get('etag'), etag)
  }
  assert.equal(await starts(), 0)
  const part = await request({ Range: 'bytes=2400-' })
  assert.equal(part.headers.get('content-range'), 'bytes 2400-2499/2500')
  for (const headers of [
    {},
    { Range: 'bytes=0-' },
    { Range: 'bytes=5-9,1-2' },
    // The ETag of another version: the response has the whole file.
    { Range: 'bytes=1-', 'If-Range': '"other"' },
  ] as Record<string, string>[]) {
    assert.deepEqual((await request(headers)).body, bytes, JSON.stringify(headers))
  }
  assert.equal(await starts(), 4)
  const whole = await request()
  assert.match(whole.headers.get('content-disposition') ?? '', /attachment.*pack\.zip/)
  assert.match(whole.headers.get('cache-control') ?? '', /private/)
  assert.equal(whole.headers.get('referrer-policy'), 'no-referrer')
  for (let count = 5; count < 10; count += 1) await request()
  for (const headers of [{}, { Range: 'bytes=1-', 'If-Range': '"other"' }] as Record<
    string,
    string
  >[]) {
    assert.equal((await request(headers)).status, 409)
  }
  assert.equal((await request({ Range: 'bytes=1-', 'If-Range': etag })).status, 206)
  assert.equal(await downloadedOf(service, order), 1)
  await service.call('DELETE', `${ORDERS}/${order.id}`)
  assert.equal((await request({ Range: 'bytes=1-' })).status, 410)
})

test('while S3 does not respond, the buyer of a file that the service sends gets a page', async (t) => {
  const service = await aService(t, PROXY)
  const { file } = await aSoldFile(service)
  const order = await anOrder(service)
  const url = (await press(order, file.id)).headers.get('location') ?? ''
  const restore = await makeStorageUnavailable(service)
  const refused = await fetch(url)
  assert.equal(refused.status, 503)
  assert.match(refused.headers.get('content-type') ?? '', /text\/html/)
  assert.equal(refused.headers.get('content-disposition'), null)
  assert.equal(refused.headers.get('etag'), null)
  await restore()
  await until('S3 responds again', async () => (await fetch(url)).status === 200)
})

const BIG = 24_000_000

test('a file that the service sends stops within a minute after the order is revoked', async (t) => {
  let shiftMs = 0
  const service = await aService(t, { ...PROXY, STOWAGE_CHUNK_SIZE: '6000000' })
  const { clock } = service.context
  service.context.clock = () => new Date(clock().getTime() + shiftMs)
  const { id } = await uploadFile(service.baseUrl, { bytes: someBytes(BIG) })
  const order = await anOrder(service, { assets: [id] })
  const url = (await press(order, id)).headers.get('location') ?? ''
  const [revoked, allowed] = await Promise.all([open(url), open(url)])
  cleanUp(t, () => revoked.destroy())
  shiftMs += 61_000
  assert.equal(await readAll(allowed), BIG)
  assert.equal((await service.call('DELETE', `${ORDERS}/${order.id}`)).status, 200)
  shiftMs += 61_000
  const read = await readAll(revoked)
  assert.ok(read < BIG, `${read} bytes`)
})

test('a download has at most 16 connections to the service, further ones are redirected', async (t) => {
  const service = await aService(t, { ...PROXY, STOWAGE_CHUNK_SIZE: '6000000' })
  const { id } = await uploadFile(service.baseUrl, { bytes: someBytes(BIG) })
  const order = await anOrder(service, { assets: [id] })
  const url = (await press(order, id)).headers.get('location') ?? ''
  const range = { Range: 'bytes=1-' }
  const responses = await Promise.all(Array.from({ length: 16 }, () => open(url, range)))
  assert.deepEqual(new Set(responses.map(({ statusCode }) => statusCode)), new Set([206]))
  const status = async () =>
    (await fetch(url, { headers: { Range: 'bytes=5-9' }, redirect: 'manual' })).status
  assert.equal(await status(), 302)
  const other = await anOrder(service, { assets: [id] })
  const otherUrl = (await press(other, id)).headers.get('location') ?? ''
  assert.equal((await fetch(otherUrl, { headers: { Range: 'bytes=5-9' } })).url, otherUrl)
  for (const response of responses) response.destroy()
  await until('the connections are free', async () => (await status()) === 206)
  const links = await service.call('POST', `${API}/assets/store`, {
    filename: 'course',
    url: 'https://example.com/course',
  })
  await service.call('POST', `${ORDERS}/${order.id}/attach`, { assets: [links.body.data.id] })
  const link = (await press(order, links.body.data.id)).headers.get('location') ?? ''
  const opened = await fetch(link, { redirect: 'manual' })
  assert.equal(opened.headers.get('location'), 'https://example.com/course')
})

/** A response that is not read yet. */
function open(url: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { headers, agent: false }, (response) => {
      response.pause()
      resolve(response)
    })
    request.on('error', reject)
  })
}

/** The number of bytes until the response ends or breaks. */
async function readAll(response: IncomingMessage): Promise<number> {
  let length = 0
  try {
    for await (const chunk of response) length += chunk.length
  } catch {}
  return length
}
