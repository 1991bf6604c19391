import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '@stowage/protocol'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { aService } from '@stowage/testing/service/service'
import { storeLink } from '@stowage/testing/service/shop'
import { API, uploadFile } from '@stowage/testing/service/upload'
import { anOrder, aSoldFile, downloadedOf, ORDERS, press, urlOf } from '../../support/orders.ts'

/* Runs on sqlite+disk, postgres+disk and postgres+ceph. */

test('a buyer downloads a file, resumes it, and only the first start counts', async (t) => {
  const service = await aService(t)
  const { call } = service
  const { file, bytes } = await aSoldFile(service)
  const order = await anOrder(service, { max_downloads: 1 })
  for (let count = 0; count < 5; count += 1) {
    await fetch(urlOf(order))
    await fetch(urlOf(order), { method: 'HEAD' })
  }
  assert.equal(await downloadedOf(service, order), 0)
  const pressed = await Promise.all(Array.from({ length: 60 }, () => press(order, file.id)))
  assert.deepEqual(new Set(pressed.map(({ status }) => status)), new Set([303]))
  const urls = new Set(pressed.map(({ headers }) => headers.get('location') ?? ''))
  assert.equal(urls.size, 1)
  const [url = ''] = urls
  assert.equal(await downloadedOf(service, order), 1)
  const whole = await fetch(url)
  assert.equal(whole.status, 200)
  assert.match(whole.headers.get('content-disposition') ?? '', /attachment.*pack\.zip/)
  assert.deepEqual(Buffer.from(await whole.arrayBuffer()), bytes)
  for (let count = 0; count < 20; count += 1) {
    const part = await fetch(url, { headers: { Range: 'bytes=100-199' } })
    assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(100, 200))
  }
  for (let count = 1; count < 10; count += 1) await (await fetch(url)).arrayBuffer()
  const eleventh = await fetch(url)
  assert.equal(eleventh.status, 409)
  assert.match(await eleventh.text(), /No downloads left/)
  assert.equal(await downloadedOf(service, order), 1)
  const log = await call('GET', `${ORDERS}/${order.id}/downloads`)
  const [{ id, opened_at, ip_hash, ...entry }] = log.body.data
  const { filename } = file
  assert.deepEqual(entry, {
    asset_id: file.id,
    filename,
    version: 1,
    bytes: 2500,
    starts: 10,
    counted: 1,
  })
  assert.match(ip_hash, /^[0-9a-f]{16}$/)
  const events: Event[] = (await call('GET', `${API}/events?limit=1000`)).body.data
  const downloads = events.filter(({ actor }) => actor.type === 'buyer')
  assert.deepEqual(
    downloads.map(({ type, actor }) => [type, actor.id]),
    [
      ['order.downloaded', order.id],
      ['order.limit_reached', order.id],
    ],
  )
  // Every request that gets the first byte is a start.
  for (const range of [
    'bytes=0-',
    'bytes=0-0',
    'bytes=00-',
    'bytes=-2500',
    'bytes=-9999',
    'bytes=5-9,0-1',
    'bytes=-',
    'x',
  ]) {
    const refused = await fetch(url, { headers: { Range: range }, redirect: 'manual' })
    assert.equal(refused.status, 409, range)
  }
  const head = await fetch(url, { method: 'HEAD', redirect: 'manual' })
  const facts = ['content-length', 'content-type', 'accept-ranges', 'location']
  assert.deepEqual(
    [head.status, ...facts.map((name) => head.headers.get(name))],
    [200, '2500', 'application/octet-stream', 'bytes', null],
  )
  assert.match(head.headers.get('content-disposition') ?? '', /^attachment.*pack\.zip/)
  const signed = await fetch(url, { headers: { Range: 'bytes=1-' }, redirect: 'manual' })
  assert.equal(signed.status, 302)
  await call('DELETE', `${ORDERS}/${order.id}`)
  const revoked = await fetch(url, { headers: { Range: 'bytes=1-' } })
  assert.equal(revoked.status, 410)
  assert.match(await revoked.text(), /no longer available/)
})

test('a thousand concurrent calls of a backend count one download', async (t) => {
  const service = await aService(t)
  const { file } = await aSoldFile(service)
  const order = await anOrder(service, { max_downloads: 5, reference: 'r' })
  const calls = Array.from({ length: 1000 }, () =>
    service.call('POST', `${ORDERS}/r/downloads`, { asset: file.id }),
  )
  const responses = await Promise.all(calls)
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]))
  assert.equal(new Set(responses.map(({ body }) => body.url)).size, 1)
  assert.equal(await downloadedOf(service, order), 1)
  const { expires_at } = responses[0]?.body ?? {}
  assert.ok(Math.abs(Date.parse(expires_at) - Date.now() - 86_400_000) < 60_000)
  const today = new Date().toISOString().slice(0, 10)
  const byProduct = await service.call('GET', `${API}/account/downloads?by=product&to=${today}`)
  assert.deepEqual(byProduct.body.data, [{ product_id: 1, downloads: 1 }])
  const byAsset = await service.call('GET', `${API}/account/downloads?by=asset`)
  assert.deepEqual(byAsset.body.data, [{ asset_id: file.id, filename: 'pack.zip', downloads: 1 }])
  const ofAsset = (query: string) =>
    service.call('GET', `${API}/account/downloads?asset=${file.id}${query}`)
  assert.deepEqual((await ofAsset('')).body.data, [{ day: today, downloads: 1 }])
  assert.equal((await ofAsset('&by=asset')).status, 422)
  const wrong = await service.call('GET', `${API}/account/downloads?from=2020-01-01`)
  assert.equal(wrong.status, 422)
})

test('merchants see the downloads and the limit of each file, and the downloads of each asset', async (t) => {
  const service = await aService(t)
  const { call } = service
  const { file } = await aSoldFile(service)
  const link = await storeLink(service)
  const order = await anOrder(service, {
    lines: [{ product_id: 1, quantity: 2 }],
    assets: [link.id],
    max_downloads: 3,
    order_number: '#8',
  })
  const files = async () => (await call('GET', `${ORDERS}/${order.id}/files`)).body.data
  assert.deepEqual(
    (await files()).map(({ asset, ...state }: { asset: { id: string } }) => [asset.id, state]),
    [
      [file.id, { line: 0, downloaded: 0, limit: 6, open_until: null }],
      [link.id, { line: null, downloaded: 0, limit: 3, open_until: null }],
    ],
  )
  await press(order, file.id)
  await press(order, file.id)
  const [{ downloaded, open_until }] = await files()
  assert.equal(downloaded, 1)
  assert.ok(Math.abs(Date.parse(open_until) - Date.now() - 86_400_000) < 60_000)
  assert.equal((await call('GET', `${ORDERS}/${order.id}`)).body.data.downloads, 1)
  // The merchant still sees the files that the buyer cannot download.
  await call('DELETE', `${ORDERS}/${order.id}`)
  assert.equal((await files()).length, 2)
  assert.equal((await call('GET', `${ORDERS}/unknown/files`)).status, 404)
  const log = await call('GET', `${API}/assets/${file.id}/downloads`)
  assert.equal(log.body.meta.total, 1)
  const [{ order: of, filename }] = log.body.data
  assert.deepEqual([of.id, of.order_number, filename], [order.id, '#8', 'pack.zip'])
  assert.deepEqual((await call('GET', `${API}/assets/${link.id}/downloads`)).body.data, [])
  assert.equal((await call('GET', `${API}/assets/${order.id}/downloads`)).status, 404)
})

test('requests that get no byte of the file are no starts, and its first byte always is', async (t) => {
  const service = await aService(t)
  const { file, bytes } = await aSoldFile(service)
  const order = await anOrder(service, { max_downloads: 1 })
  const url = (await press(order, file.id)).headers.get('location') ?? ''
  const starts = async () =>
    (await service.call('GET', `${ORDERS}/${order.id}/downloads`)).body.data[0].starts
  const etag = (await fetch(url)).headers.get('etag') ?? ''
  assert.equal(await starts(), 1)
  const conditions = [
    [{ 'If-None-Match': etag }, 304],
    [{ 'If-Match': '"other"' }, 412],
  ] as const
  for (const [headers, status] of conditions) {
    assert.equal((await fetch(url, { headers })).status, status)
  }
  assert.equal((await fetch(url, { headers: { Range: 'bytes=2500-' } })).status, 416)
  // The redirect to S3 counts: S3 compares its ETag afterwards.
  assert.equal(await starts(), isOnS3 ? 3 : 1)
  if (isOnS3) return
  // A redirect for other bytes leads to a URL whose first byte counts.
  for (const headers of [{ Range: 'bytes=1-' }, { 'If-None-Match': etag }]) {
    const before = await starts()
    const redirect = await fetch(url, { headers, redirect: 'manual' })
    const signed = redirect.headers.get('location') ?? ''
    await fetch(signed, { headers: { Range: 'bytes=5-' } })
    assert.equal(await starts(), before)
    assert.deepEqual(Buffer.from(await (await fetch(signed)).arrayBuffer()), bytes)
    assert.equal(await starts(), before + 1)
  }
  const redirect = await fetch(url, { headers: { Range: 'bytes=1-' }, redirect: 'manual' })
  const signed = redirect.headers.get('location') ?? ''
  for (let count = 3; count < 10; count += 1) await (await fetch(signed)).arrayBuffer()
  const refused = await fetch(signed)
  assert.deepEqual([refused.status, (await refused.json()).code], [409, 'limit_reached'])
  assert.equal((await fetch(signed, { headers: { Range: 'bytes=1-' } })).status, 206)
})

test('links are counted like files, and lead to their URL', async (t) => {
  const service = await aService(t)
  const link = await storeLink(service, { url: 'https://example.com/course' })
  const order = await anOrder(service, { assets: [link.id], max_downloads: 2 })
  const pressed = await press(order, link.id)
  assert.equal(pressed.status, 303)
  const opened = await fetch(pressed.headers.get('location') ?? '', { redirect: 'manual' })
  assert.deepEqual(
    [opened.status, opened.headers.get('location')],
    [302, 'https://example.com/course'],
  )
  for (const Range of ['bytes=0-', 'bytes=5-', 'bytes=-5']) {
    await fetch(pressed.headers.get('location') ?? '', { headers: { Range }, redirect: 'manual' })
  }
  const log = await service.call('GET', `${ORDERS}/${order.id}/downloads`)
  assert.equal(log.body.data[0].starts, 2)
  assert.equal(await downloadedOf(service, order), 1)
})

test('fields that a page of others sends with the button are ignored', async (t) => {
  const service = await aService(t)
  const { file } = await aSoldFile(service)
  const order = await anOrder(service)
  const bodies = [new URLSearchParams({ go: '1' }), 'text', '{"a":1}']
  for (const [index, body] of bodies.entries()) {
    const headers = { 'Content-Type': 'application/json' }
    const init = {
      method: 'POST',
      body,
      redirect: 'manual',
      ...(index === 2 && { headers }),
    } as const
    assert.equal((await fetch(`${urlOf(order)}/${file.id}`, init)).status, 303)
    assert.equal((await fetch(`${urlOf(order)}/${file.id}/more`, init)).status, 200)
  }
  const large = { method: 'POST', body: 'x'.repeat(5_000) }
  assert.equal((await fetch(`${urlOf(order)}/${file.id}`, large)).status, 413)
})

test('an order that is held, expired or revoked, or does not cover the file, starts nothing', async (t) => {
  const service = await aService(t)
  const { file } = await aSoldFile(service)
  const other = await uploadFile(service.baseUrl, { name: 'other.zip', bytes: Buffer.from('x') })
  const order = await anOrder(service)
  const cases = [
    { held: true, code: 'order_held', status: 409, text: /being checked/ },
    { held: false, expires_at: '2020-01-01', code: 'order_expired', status: 410, text: /expired/ },
  ]
  for (const { code, status, text, ...changes } of cases) {
    await service.call('PATCH', `${ORDERS}/${order.id}`, changes)
    const refused = await service.call('POST', `${ORDERS}/${order.id}/downloads`, {
      asset: file.id,
    })
    assert.deepEqual([refused.status, refused.body.code], [status, code])
    for (const response of [await press(order, file.id), await fetch(urlOf(order))]) {
      assert.equal(response.status, status)
      assert.match(await response.text(), text)
    }
  }
  await service.call('PATCH', `${ORDERS}/${order.id}`, { expires_at: null })
  assert.equal((await press(order, other.id)).status, 404)
  assert.equal((await press(order, 'x')).status, 404)
  const unknown = await service.call('POST', `${ORDERS}/${order.id}/downloads`, { asset: other.id })
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'not_found'])
  await service.call('DELETE', `${ORDERS}/${order.id}`)
  assert.equal((await press(order, file.id)).status, 410)
  assert.equal((await fetch(urlOf(order))).status, 410)
})

test('pages of others get the order by its token, with URLs that start downloads', async (t) => {
  const service = await aService(t)
  const { file, bytes } = await aSoldFile(service)
  const order = await anOrder(service, { order_number: '#7', max_downloads: 3, locale: 'de' })
  const token = urlOf(order).split('/').at(-1)
  const path = `/api/v2/customer-account-orders?id=${token}`
  const { status, body } = await service.call('GET', path)
  assert.equal(status, 200)
  assert.deepEqual([body.order.order_number, body.text.download], ['#7', 'Herunterladen'])
  const [{ limits, data }] = body.order.lines[0].assets
  assert.deepEqual([limits, data.id], [{ downloaded: 0, limit: 3 }, file.id])
  await fetch(data.url, { method: 'HEAD' })
  await fetch(data.url, { headers: { 'Sec-Purpose': 'prefetch' } })
  assert.equal(await downloadedOf(service, order), 0)
  const downloaded = await fetch(data.url)
  assert.deepEqual(Buffer.from(await downloaded.arrayBuffer()), bytes)
  assert.equal(await downloadedOf(service, order), 1)
  const unknown = await service.call('GET', '/api/v2/customer-account-orders?id=unknown')
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'not_found'])
})

test('guessing tokens and starting downloads is limited for each address', async (t) => {
  const service = await aService(t)
  const { file } = await aSoldFile(service)
  const order = await anOrder(service)
  const guesses = Array.from({ length: 80 }, (_, index) => fetch(`${service.baseUrl}/d/${index}`))
  const statuses = (await Promise.all(guesses)).map(({ status }) => status)
  assert.ok(statuses.filter((status) => status === 429).length >= 10, String(statuses))
  assert.ok(statuses.every((status) => status === 404 || status === 429))
  assert.equal((await fetch(urlOf(order))).status, 200)
  const presses = await Promise.all(Array.from({ length: 340 }, () => press(order, file.id)))
  const busy = presses.filter(({ status }) => status === 429)
  assert.ok(busy.length > 0 && busy[0]?.headers.get('retry-after') !== null)
})

test('an unknown or changed URL of a file is not found', async (t) => {
  const service = await aService(t)
  const { file } = await aSoldFile(service)
  const order = await anOrder(service)
  const url = (await press(order, file.id)).headers.get('location') ?? ''
  const token = url.split('/').at(-1) ?? ''
  const other = (token.startsWith('A') ? 'B' : 'A') + token.slice(1)
  for (const wrong of [other, token.slice(0, -2), `${token}A`, 'x', `${token.slice(0, 30)}!`]) {
    assert.equal((await fetch(`${service.baseUrl}/d/file/${wrong}`)).status, 404, wrong)
  }
})
