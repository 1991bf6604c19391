import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Asset, CompletedPart } from '@stowage/protocol'
import { aService, type TestService } from '@stowage/testing/service/service'
import {
  API,
  cancel,
  putParts,
  requestSession,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'
import { sendExactly } from '../../support/exact-request.ts'
import { shorten } from '../../support/refusals.ts'

/* Runs on sqlite+disk and postgres+disk. */

test('uploads accept unusual but valid input', async (t) => {
  const service = await aService(t, { STOWAGE_CHUNK_SIZE: '10' })
  await t.test('both spellings of the fields, and no media type', (group) =>
    checkFiles(group, service),
  )
  await t.test('filenames with unusual characters', (group) => checkNames(group, service))
  await t.test('parts listed in any order, partly, or not at all', (group) =>
    checkParts(group, service),
  )
  await t.test('an Idempotency-Key of any visible characters', () => checkKeys(service))
  await t.test('every spelling of the JSON media type', () => checkMediaTypes(service))
  await t.test('a repeated cancellation', () => checkCancel(service))
  await t.test('a repeated part with irrelevant headers', () => checkPartAgain(service))
})

const UNKNOWN = 'application/octet-stream'
const FILE = { name: 'a.bin', size: 1 }

const FILES: [body: unknown, name: string, mime: string][] = [
  [FILE, 'a.bin', UNKNOWN],
  [{ ...FILE, mime: '' }, 'a.bin', UNKNOWN],
  [{ ...FILE, mime_type: '' }, 'a.bin', UNKNOWN],
  [{ ...FILE, mime_type: 'text/plain' }, 'a.bin', 'text/plain'],
  [{ ...FILE, mime: 'text/plain; charset=utf-8' }, 'a.bin', 'text/plain; charset=utf-8'],
  [{ filename: 'b.bin', size: 1, mime: 'text/plain' }, 'b.bin', 'text/plain'],
  [{ filename: 'b.bin', size: 1, mime_type: 'text/plain' }, 'b.bin', 'text/plain'],
  [{ ...FILE, filename: 'a.bin' }, 'a.bin', UNKNOWN],
  [{ ...FILE, unknown: [1] }, 'a.bin', UNKNOWN],
  ['{"name":"a.bin","size":1.0}', 'a.bin', UNKNOWN],
  ['{"name":"a.bin","size":1e0}', 'a.bin', UNKNOWN],
  [' {"name":"a.bin","size":-0}\r\n', 'a.bin', UNKNOWN],
]

async function checkFiles(t: TestContext, service: TestService): Promise<void> {
  for (const [body, name, mime] of FILES) {
    await t.test(shorten(body), async () => {
      const session = await service.call('POST', `${API}/assets/signed`, body)
      assert.equal(session.status, 201, JSON.stringify(session.body))
      const { data } = (await service.call('GET', `${API}/assets/${session.body.id}`)).body
      assert.deepEqual([data.filename, data.mime, data.status], [name, mime, 'uploading'])
    })
  }
}

const UNUSUAL_NAMES = [
  'a',
  '...',
  '.env',
  '-rf',
  ' a b ',
  'CON',
  '100%_*?.zip',
  '"quoted" \'name\'',
  '<script>alert(1)',
  "a'; drop table assets; --",
  'a:b|c',
  'Ünïcödé – 東京 – مرحبا.pdf',
  'e\u0301.txt',
  'a'.repeat(255),
  '😀'.repeat(255),
]

/** Checks that the name is stored unchanged and found by the filter. */
async function checkNames(t: TestContext, service: TestService): Promise<void> {
  for (const name of UNUSUAL_NAMES) {
    await t.test(shorten(name), async () => {
      const asset = await uploadFile(service.baseUrl, { bytes: someBytes(1), name })
      assert.equal(asset.filename, name)
      const query = `filename=${encodeURIComponent(name)}`
      const { data } = (await service.call('GET', `${API}/assets?${query}`)).body
      assert.ok(data.some(({ id }: Asset) => id === asset.id))
    })
  }
}

const COMPLETIONS: Record<string, (parts: CompletedPart[]) => CompletedPart[] | undefined> = {
  'the first part first': (parts) => parts.toSorted((a, b) => a.PartNumber - b.PartNumber),
  'the last part first': (parts) => parts.toSorted((a, b) => b.PartNumber - a.PartNumber),
  'ETags with their quotes': (parts) => parts.map((part) => ({ ...part, ETag: `"${part.ETag}"` })),
  'some of the parts': (parts) => parts.slice(1, 2),
  'an empty list': () => [],
  'no list': () => undefined,
}

/** Checks both methods, and the upload_id in lower and upper case. */
async function checkParts(t: TestContext, service: TestService): Promise<void> {
  for (const [name, choose] of Object.entries(COMPLETIONS)) {
    await t.test(name, async () => {
      const bytes = someBytes(25)
      const session = await requestSession(service.baseUrl, { bytes })
      const parts = choose(await putParts(session, bytes))
      const path = `${API}/assets/${session.id}/uploaded`
      const first = await service.call('PUT', path, { upload_id: session.upload_id, parts })
      assert.equal(first.status, 200, JSON.stringify(first.body))
      assert.equal(first.body.data.status, 'ready')
      const upload_id = session.upload_id.toUpperCase()
      const again = await service.call('POST', path, { upload_id, parts })
      assert.deepEqual([again.status, again.body], [200, first.body])
    })
  }
}

async function checkKeys(service: TestService): Promise<void> {
  for (const key of ['!', '~'.repeat(255), '"a"', 'a,b;c=d', "';drop/**/table/**/assets"]) {
    const headers = { 'Idempotency-Key': key }
    const first = await service.call('POST', `${API}/assets/signed`, FILE, headers)
    const again = await service.call('POST', `${API}/assets/signed`, FILE, headers)
    assert.deepEqual([first.status, again.status], [201, 201], key)
    assert.deepEqual([again.body.id, again.body.upload_id], [first.body.id, first.body.upload_id])
  }
}

async function checkMediaTypes(service: TestService): Promise<void> {
  for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json;']) {
    const headers = { 'Content-Type': type }
    const response = await service.call('POST', `${API}/assets/signed`, FILE, headers)
    assert.equal(response.status, 201, type)
  }
}

async function checkCancel({ baseUrl }: TestService): Promise<void> {
  const session = await requestSession(baseUrl, { bytes: someBytes(1) })
  const { id, upload_id } = session
  for (const response of [await cancel(baseUrl, session), await cancel(baseUrl, session)]) {
    assert.equal(response.status, 200)
    assert.deepEqual(response.body, { data: { id, upload_id, status: 'cancelled' } })
  }
}

async function checkPartAgain(service: TestService): Promise<void> {
  const bytes = someBytes(10)
  const session = await requestSession(service.baseUrl, { bytes })
  const [part] = await putParts(session, bytes)
  const { origin, pathname, search } = new URL(session.urls[0]?.url ?? '')
  const path = pathname + search
  for (const headers of [{ 'content-type': 'text/plain' }, { origin: 'http://other.example' }]) {
    const request = { method: 'PUT', path, body: bytes, headers }
    const response = await sendExactly(origin, request)
    assert.deepEqual([response.status, response.headers.get('etag')], [200, `"${part?.ETag}"`])
  }
}

const NAMES = ['what?.txt', 'what.txt', 'a=b.txt', 'a+b.txt', '100%.txt', 'a_b.txt', '"AND".txt']

test('read requests accept unusual but valid input', async (t) => {
  const service = await aService(t)
  for (const name of NAMES) await uploadFile(service.baseUrl, { bytes: someBytes(25), name })
  const { data } = (await service.call('GET', `${API}/assets`)).body
  await t.test('with_products=true, false, 1 or 0', () => checkProducts(service, data[0]))
  await t.test('a limit above the maximum', () => checkLimits(service))
  await t.test('a page past the end', () => checkPages(service))
  await t.test('any character in the filter', (group) => checkFilters(group, service))
  await t.test('a trailing slash, and unknown parameters', async () => {
    for (const path of [
      '/assets/',
      '/assets/?',
      '/assets?x=1&__proto__=2',
      `/assets/${data[0].id}/`,
    ]) {
      assert.equal((await service.call('GET', API + path)).status, 200, path)
    }
  })
  await t.test('a Range with another unit, or beyond the end', () => checkRanges(service, data[0]))
})

async function checkProducts(service: TestService, asset: Asset): Promise<void> {
  const table: [query: string, products: unknown][] = [
    ['', undefined],
    ['?with_products=false', undefined],
    ['?with_products=0', undefined],
    ['?with_products=true', []],
    ['?with_products=1', []],
  ]
  for (const [query, products] of table) {
    const list = await service.call('GET', `${API}/assets${query}`)
    const one = await service.call('GET', `${API}/assets/${asset.id}${query}`)
    assert.deepEqual([list.status, one.status], [200, 200], query)
    assert.deepEqual([list.body.data[0].products, one.body.data.products], [products, products])
  }
}

async function checkLimits(service: TestService): Promise<void> {
  for (const limit of ['1000', '1001', '5000', '9007199254740991']) {
    const { status, body } = await service.call('GET', `${API}/assets?limit=${limit}`)
    assert.equal(status, 200)
    const { per_page, from, to } = body.meta
    assert.deepEqual({ per_page, from, to }, { per_page: 1000, from: 1, to: NAMES.length })
  }
}

async function checkPages(service: TestService): Promise<void> {
  for (const page of [2, 1_000_000, Number.MAX_SAFE_INTEGER]) {
    const { status, body } = await service.call('GET', `${API}/assets?limit=5000&page=${page}`)
    assert.equal(status, 200)
    assert.deepEqual([body.data, body.links.next], [[], null])
    const { current_page, from, to, total, last_page } = body.meta
    assert.deepEqual(
      { current_page, from, to, total, last_page },
      { current_page: page, from: 0, to: 0, total: NAMES.length, last_page: 1 },
    )
  }
}

const FILTERS: [filter: string, name: string][] = [
  // After the first question mark, further ones need not be encoded (RFC 3986, 3.4).
  ['what?', 'what?.txt'],
  ['what%3F', 'what?.txt'],
  ['a=b', 'a=b.txt'],
  ['a%2Bb', 'a+b.txt'],
  ['%25', '100%.txt'],
  ['_', 'a_b.txt'],
  ['%22and%22', '"AND".txt'],
]

/** Checks that the filter matches the name, both in the request and in the links of its response. */
async function checkFilters(t: TestContext, { baseUrl }: TestService): Promise<void> {
  for (const [filter, name] of FILTERS) {
    await t.test(`filename=${filter}`, async () => {
      const path = `${API}/assets?limit=2&filename=${filter}`
      const { body } = await sendExactly(baseUrl, { method: 'GET', path })
      const first = body.links.first.replace(baseUrl, '')
      const linked = await sendExactly(baseUrl, { method: 'GET', path: first })
      for (const { data } of [body, linked.body]) {
        assert.deepEqual(
          data.map(({ filename }: Asset) => filename),
          [name],
        )
      }
    })
  }
}

async function checkRanges({ baseUrl }: TestService, asset: Asset): Promise<void> {
  const table: [range: string, status: number][] = [
    ['items=0-1', 200],
    ['bytes=-1000', 206],
    ['bytes=0-99999999999999999999', 206],
  ]
  for (const [range, status] of table) {
    const url = `${baseUrl}${API}/assets/${asset.id}/download`
    const response = await fetch(url, { headers: { Range: range } })
    assert.equal(response.status, status, range)
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), someBytes(25), range)
  }
}
