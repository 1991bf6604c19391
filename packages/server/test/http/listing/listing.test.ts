import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import { storeManyLinks } from '@stowage/testing/service/shop'
import { API, callUrl, uploadFile } from '@stowage/testing/service/upload'
import fc from 'fast-check'

/* Runs on sqlite+disk and postgres+disk. */

test('following links.next visits every asset exactly once, with any page size', async (t) => {
  const { baseUrl } = await aService(t)
  const ids = new Set<string>()
  for (let index = 0; index < 23; index += 1) {
    ids.add((await uploadFile(baseUrl, { name: `file ${index}.txt`, bytes: Buffer.alloc(0) })).id)
  }
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 30 }), async (limit) => {
      const seen: string[] = []
      let next: string | null = `${baseUrl}${API}/assets?limit=${limit}&filename=file`
      while (next !== null) {
        const { body } = await callUrl(next)
        seen.push(...body.data.map(({ id }: { id: string }) => id))
        assert.equal(body.meta.total, 23)
        assert.equal(body.meta.to - body.meta.from + 1, body.data.length)
        next = body.links.next
      }
      assert.equal(seen.length, 23)
      assert.deepEqual(new Set(seen), ids)
    }),
    { numRuns: 12 },
  )
})

test('a page has the documented links and meta fields', async (t) => {
  const { baseUrl, call } = await aService(t)
  for (let index = 0; index < 5; index += 1) {
    await uploadFile(baseUrl, { name: `a&b ${index}`, bytes: Buffer.alloc(0) })
  }
  const { body } = await call('GET', `${API}/assets?filename=a%26b&page=2&limit=2&with_products=1`)
  const link = (page: number) =>
    `${baseUrl}${API}/assets?filename=a%26b&page=${page}&limit=2&with_products=1`
  assert.deepEqual(body.links, { first: link(1), last: link(3), prev: link(1), next: link(3) })
  assert.deepEqual(body.meta, {
    current_page: 2,
    from: 3,
    to: 4,
    last_page: 3,
    per_page: 2,
    total: 5,
    total_is_exact: true,
    total_at_least: 5,
    path: `${baseUrl}${API}/assets`,
    links: [
      { url: link(1), label: '« Previous', active: false },
      { url: link(1), label: '1', active: false },
      { url: link(2), label: '2', active: true },
      { url: link(3), label: '3', active: false },
      { url: link(3), label: 'Next »', active: false },
    ],
    next_after: body.data[1].id,
  })
  assert.deepEqual(
    body.data.map(({ products }: { products: unknown }) => products),
    [[], []],
  )
})

test('an empty list and a page past the end return empty pages', async (t) => {
  const { baseUrl, call } = await aService(t)
  const empty = await call('GET', `${API}/assets`)
  assert.deepEqual([empty.status, empty.body.data], [200, []])
  const { from, to, last_page, per_page, total } = empty.body.meta
  assert.deepEqual([from, to, last_page, per_page, total], [0, 0, 1, 25, 0])
  await uploadFile(baseUrl, { bytes: Buffer.alloc(0) })
  const past = await call('GET', `${API}/assets?page=9007199254740991&limit=5000`)
  assert.deepEqual([past.status, past.body.data, past.body.meta.per_page], [200, [], 1000])
})

test('assets include their products if and only if with_products is set', async (t) => {
  const { baseUrl, call } = await aService(t)
  const { id } = await uploadFile(baseUrl, { bytes: Buffer.alloc(0) })
  for (const [query, products] of [
    ['', undefined],
    ['?with_products=false', undefined],
    ['?with_products=0', undefined],
    ['?with_products=True', []],
    ['?with_products=FALSE', undefined],
    ['?with_products=true', []],
    ['?with_products=1', []],
  ] as const) {
    assert.deepEqual(
      (await call('GET', `${API}/assets/${id}${query}`)).body.data.products,
      products,
    )
    assert.deepEqual((await call('GET', `${API}/assets${query}`)).body.data[0].products, products)
  }
})

test('a filename in any script stays the same through upload, filter and download', async (t) => {
  const { baseUrl, call } = await aService(t)
  const names = [
    'Crème brûlée – «été».pdf',
    'Größe ẞ.zip',
    '日本語のファイル名.mp4',
    'שלום עולם.txt',
    'مرحبا.txt',
    'हिन्दी नमूना.wav',
    '👩‍👩‍👧‍👦 family.png',
    'it\'s; "quoted" & 100% <b>.txt',
    'e\u0301 decomposed.txt',
    'ǅ titlecase.txt',
    `${'長'.repeat(251)}.txt`,
  ]
  for (const name of names) {
    const { id } = await uploadFile(baseUrl, { name, bytes: Buffer.from(name) })
    const read = await call('GET', `${API}/assets/${id}`)
    assert.equal(read.body.data.filename, name)
    const part = [...name].slice(0, 4).join('').toUpperCase()
    const found = await call('GET', `${API}/assets?filename=${encodeURIComponent(part)}`)
    assert.deepEqual(
      found.body.data.map((asset: { id: string }) => asset.id),
      [id],
      part,
    )
    const response = await fetch(`${baseUrl}${API}/assets/${id}/download`)
    assert.equal(await response.text(), name)
    const [, encoded] =
      /filename\*=UTF-8''(\S+)/.exec(response.headers.get('content-disposition') ?? '') ?? []
    assert.equal(decodeURIComponent(encoded ?? ''), name)
  }
})

test('a search in many assets returns bounds of its total, and the exact total on request', async (t) => {
  const service = await aService(t)
  const count = 11_000
  await storeManyLinks(service, count)
  const list = async (query: string) =>
    (await service.call('GET', `${API}/assets?search=zi&${query}`)).body

  const { meta, links, data } = await list('limit=100')
  assert.equal(data.length, 100)
  assert.equal(meta.total_is_exact, false)
  assert.ok(meta.total_at_least > 100 && meta.total_at_least <= count)
  assert.deepEqual([meta.total, meta.last_page, meta.from, meta.to], [count, 110, 1, 100])
  assert.match(links.next, /page=2/)
  assert.equal(meta.next_after, data.at(-1).id)

  const second = await list(`limit=100&after=${meta.next_after}`)
  assert.equal(second.meta.total_is_exact, false)
  const pages = await list('limit=100&page=2')
  assert.deepEqual(second.data, pages.data)

  const exact = (await list('limit=100&exact_total=true')).meta
  assert.deepEqual([exact.total, exact.total_is_exact, exact.total_at_least], [count, true, count])
  assert.equal((await list('limit=100')).meta.total_is_exact, true)
  assert.equal((await list('exact_total=maybe')).errors.exact_total.length, 1)

  // Clients of the interface filter by `filename`, and do not know that a total may be a bound.
  const isExact = async (query: string) =>
    (await service.call('GET', `${API}/assets?${query}`)).body.meta.total_is_exact
  assert.equal(await isExact('filename=z&exact_total=false'), false)
  assert.equal(await isExact('filename=z'), true)
})
