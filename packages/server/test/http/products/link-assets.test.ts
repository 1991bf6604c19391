import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { runJobs } from '@stowage/testing/service/jobs'
import { aService } from '@stowage/testing/service/service'
import { attach, namesOf, putProduct, storeLink } from '@stowage/testing/service/shop'
import {
  API,
  complete,
  download,
  putParts,
  requestSession,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'

/* Runs on sqlite+disk and postgres+disk. */

test('a link is an asset with a URL, and does not use storage of the plan', async (t) => {
  const { call } = await aService(t)
  const url = 'https://example.com/courses/1/ü.zip?token=a%20b&x=[1]#part'
  const body = { filename: 'Kürs.zip', url, size: '10MB' }
  const before = Date.now()
  const { status, body: created } = await call('POST', `${API}/assets/store`, body)
  const after = Date.now()
  assert.equal(status, 201)
  const { id, created_at, updated_at, ...rest } = created.data
  assert.equal(updated_at, created_at)
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const createdAt = Date.parse(created_at)
  assert.ok(before <= createdAt && createdAt <= after, created_at)
  assert.deepEqual(rest, {
    filename: 'Kürs.zip',
    size: '10 MB',
    is_file: false,
    is_link: true,
    url,
    status: 'ready',
    bytes: 10_000_000,
    mime: 'application/octet-stream',
    version: 1,
    path: null,
    tags: [],
    inline: false,
    checksum: null,
    damaged: false,
  })
  assert.deepEqual((await call('GET', `${API}/assets/${id}`)).body, created)
  assert.deepEqual((await call('GET', `${API}/assets?filename=kürs`)).body.data, [created.data])
  const { stored, reserved, assets } = (await call('GET', `${API}/account`)).body.data
  assert.deepEqual({ stored, reserved, assets }, { stored: 0, reserved: 0, assets: 1 })
})

test('the size of a link can be text with a unit, a number of bytes, or left out', async (t) => {
  const service = await aService(t)
  const table: [size: string | number | undefined, bytes: number, text: string][] = [
    [undefined, 0, '0 B'],
    [0, 0, '0 B'],
    [999, 999, '999 B'],
    ['999', 999, '999 B'],
    ['10MB', 10_000_000, '10 MB'],
    ['10 mb', 10_000_000, '10 MB'],
    ['1.5 GB', 1_500_000_000, '1.5 GB'],
    ['1TB', 1_000_000_000_000, '1 TB'],
    ['1 KiB', 1024, '1 kB'],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, '9 PB'],
    [`${Number.MAX_SAFE_INTEGER}`, Number.MAX_SAFE_INTEGER, '9 PB'],
  ]
  for (const [size, bytes, text] of table) {
    const link = await storeLink(service, size === undefined ? {} : { size })
    assert.deepEqual([link.bytes, link.size], [bytes, text], `${size}`)
  }
})

test('downloading a link redirects to its URL, encoded for the Location header', async (t) => {
  const service = await aService(t)
  const table = [
    ['https://example.com/a%20b.zip?x=1&y=%2F#z', 'https://example.com/a%20b.zip?x=1&y=%2F#z'],
    ['http://example.com:8080/a', 'http://example.com:8080/a'],
    ['https://例え.jp/音楽.zip', 'https://xn--r8jz45g.jp/%E9%9F%B3%E6%A5%BD.zip'],
  ]
  for (const [url = '', location] of table) {
    const link = await storeLink(service, { url })
    assert.equal(link.url, url)
    const response = await service.call('GET', `${API}/assets/${link.id}/download`)
    assert.deepEqual([response.status, response.headers.get('location')], [302, location])
    assert.equal(response.headers.get('cache-control'), 'no-store')
  }
})

/** A web server that records its connections and requests. */
async function aRecordingServer(t: TestContext): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = []
  const server = createServer((request: IncomingMessage, response) => {
    requests.push(`${request.method} ${request.url}`)
    response.end('here')
  })
  server.on('connection', () => requests.push('a connection'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp(t, async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

test('the service never sends a request to the URL of a link', async (t) => {
  const service = await aService(t)
  const { url, requests } = await aRecordingServer(t)
  await putProduct(service, { variant_id: 11 })
  const { id } = await storeLink(service, { url: `${url}/first` })
  const path = `${API}/assets/${id}`
  await service.call('PUT', path, { url: `${url}/second`, filename: 'renamed.zip', size: '5 MB' })
  await attach(service, id, { product_ids: [1] })
  await service.call('GET', `${API}/assets?with_products=true&filename=renamed`)
  await service.call('GET', `${API}/products?with_assets=true`)
  const response = await service.call('GET', `${path}/download`)
  assert.equal(response.headers.get('location'), `${url}/second`)
  const { body } = await service.call('GET', `${path}/address`)
  assert.deepEqual(body.data, { url: `${url}/second`, expires_at: null })
  await runJobs(service.context)
  await service.call('DELETE', path)
  await runJobs(service.context)
  assert.deepEqual(requests, [])
  // The server does record requests, such as this one of a client.
  assert.equal(await (await fetch(`${url}/third`)).text(), 'here')
  assert.deepEqual(requests, ['a connection', 'GET /third'])
})

test('a link has no upload to resume, complete, cancel or resize', async (t) => {
  const service = await aService(t)
  const { id } = await storeLink(service)
  const upload_id = service.context.newId()
  for (const [method, name] of [
    ['GET', 'upload'],
    ['POST', 'uploaded'],
    ['PUT', 'uploaded'],
    ['POST', 'cancel'],
    ['PATCH', 'upload'],
  ] as const) {
    const body = method === 'PATCH' ? { size: 1 } : { upload_id }
    const sent = method === 'GET' ? undefined : body
    const response = await service.call(method, `${API}/assets/${id}/${name}`, sent)
    assert.deepEqual([response.status, response.body.code], [404, 'not_found'], name)
    assert.match(response.body.message, /^The asset is a link and has no upload\./, name)
  }
})

test('the name, URL and size of a link can be changed, and fields that are left out stay the same', async (t) => {
  const service = await aService(t)
  const link = await storeLink(service, { filename: 'first.zip', size: 5 })
  const path = `${API}/assets/${link.id}`
  const { url } = link
  const table: [change: object, now: object][] = [
    [{}, {}],
    [{ filename: 'second.zip' }, { filename: 'second.zip' }],
    [{ url: 'http://example.org/x' }, { url: 'http://example.org/x' }],
    [{ size: '1.5 GB' }, { bytes: 1_500_000_000, size: '1.5 GB' }],
    [{ size: 0 }, { bytes: 0, size: '0 B' }],
    [
      { filename: 'third.zip', url, size: '2kB' },
      { filename: 'third.zip', url, bytes: 2000, size: '2 kB' },
    ],
  ]
  let expected = link
  for (const [change, now] of table) {
    const response = await service.call('PUT', path, change)
    const { updated_at } = response.body.data
    const isUnchanged = Object.keys(change).length === 0
    assert.ok(isUnchanged ? updated_at === link.updated_at : updated_at >= expected.updated_at)
    expected = { ...expected, ...now, updated_at }
    assert.deepEqual([response.status, response.body], [200, { data: expected }])
    assert.deepEqual((await service.call('GET', path)).body, { data: expected })
  }
})

test('a renamed file keeps its bytes, is found only by its new name, and is downloaded under it', async (t) => {
  const service = await aService(t)
  const bytes = someBytes(25)
  const file = await uploadFile(service.baseUrl, { name: 'before.bin', bytes })
  const session = await requestSession(service.baseUrl, { name: 'before too.bin', bytes })
  const link = await storeLink(service, { filename: 'before.link' })
  const names = ['Nächher – 後.bin', 'Nächher – 後, too.bin', 'Nächher.link']
  for (const [index, { id }] of [file, session, link].entries()) {
    const filename = names[index]
    const response = await service.call('PUT', `${API}/assets/${id}`, { filename })
    assert.deepEqual([response.status, response.body.data.filename], [200, filename])
  }
  const renaming = await service.call('GET', `${API}/assets/${session.id}`)
  assert.deepEqual(
    [renaming.body.data.status, renaming.body.data.filename],
    ['uploading', names[1]],
  )
  await complete(service.baseUrl, session, await putParts(session, bytes))
  assert.deepEqual(await namesOf(service, 'filename=before'), [])
  const found = await namesOf(service, `filename=${encodeURIComponent('NÄCHHER')}&sort=created_at`)
  assert.deepEqual(found, names)
  for (const [index, { id }] of [file, session].entries()) {
    assert.deepEqual(await download(service.baseUrl, id), bytes)
    const response = await fetch(`${service.baseUrl}${API}/assets/${id}/download`)
    await response.arrayBuffer()
    const disposition = response.headers.get('content-disposition') ?? ''
    const [, encoded = ''] = /filename\*=UTF-8''(\S+)/.exec(disposition) ?? []
    assert.equal(decodeURIComponent(encoded), names[index])
  }
})

test('a request that changes the URL or size of a file is refused as a whole', async (t) => {
  const service = await aService(t)
  const bytes = someBytes(25)
  const file = await uploadFile(service.baseUrl, { name: 'file.bin', bytes })
  const session = await requestSession(service.baseUrl, { name: 'open.bin', bytes })
  const changes = [
    { url: 'https://example.com' },
    { size: 25 },
    { url: 'https://a.b', size: '1MB' },
  ]
  for (const { id } of [file, session]) {
    const path = `${API}/assets/${id}`
    const before = await service.call('GET', path)
    for (const change of changes) {
      const response = await service.call('PUT', path, { filename: 'other.bin', ...change })
      const problems = Object.keys(change).map((field) => [
        field,
        ['can only be changed for links'],
      ])
      assert.deepEqual([response.status, response.body.code], [422, 'invalid'])
      assert.deepEqual(response.body.errors, Object.fromEntries(problems))
    }
    assert.deepEqual((await service.call('GET', path)).body, before.body)
  }
})
