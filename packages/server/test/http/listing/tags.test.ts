import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asset, Tag } from '@stowage/protocol'
import { aService, type TestService } from '@stowage/testing/service/service'
import { storeLink } from '@stowage/testing/service/shop'
import { API, complete, putParts, someBytes } from '@stowage/testing/service/upload'

const BULK = `${API}/assets/bulk`

test('an asset has the tags of its upload: trimmed, each once, sorted without regard to case', async (t) => {
  const { call, baseUrl } = await aService(t)
  const file = { name: 'a.zip', size: 5, tags: [' Zebra', 'audio ', 'ZEBRA', 'Ägypten'] }
  const expected = ['audio', 'Zebra', 'Ägypten']
  const { body: session } = await call('POST', `${API}/assets/signed`, file)
  const read = () => call('GET', `${API}/assets/${session.id}`)
  assert.deepEqual((await read()).body.data.tags, expected)
  const done = await complete(baseUrl, session, await putParts(session, someBytes(5)))
  assert.deepEqual(done.body.data.tags, expected)
  assert.deepEqual((await call('GET', `${API}/assets`)).body.data[0].tags, expected)

  const link = { filename: 'l', url: 'https://a.example', tags: ['audio'] }
  assert.deepEqual((await call('POST', `${API}/assets/store`, link)).body.data.tags, ['audio'])
  const { url, filename } = link
  const plain = await call('POST', `${API}/assets/store`, { url, filename })
  assert.deepEqual(plain.body.data.tags, [])

  const changed = await call('PUT', `${API}/assets/${session.id}`, { tags: ['new'] })
  assert.deepEqual([changed.status, changed.body.data.tags], [200, ['new']])
  await call('PUT', `${API}/assets/${session.id}`, { filename: 'b.zip' })
  assert.deepEqual((await read()).body.data.tags, ['new'])
})

test('a repeated request for an upload has the same tags', async (t) => {
  const { call } = await aService(t)
  const sign = (tags?: string[]) => {
    const file = { name: 'a', size: 1, ...(tags && { tags }) }
    return call('POST', `${API}/assets/signed`, file, { 'Idempotency-Key': 'k' })
  }
  const first = await sign(['a', 'b'])
  assert.equal((await sign(['b', 'a '])).body.id, first.body.id)
  assert.equal((await sign(['a'])).body.code, 'idempotency_key_reused')
  assert.equal((await sign()).body.code, 'idempotency_key_reused')
})

test('wrong tags are refused, and nothing changes', async (t) => {
  const service = await aService(t)
  const { call } = service
  const { id } = await storeLink(service)
  const wrong: [unknown, string][] = [
    ['a', 'tags'],
    [[''], 'tags.0'],
    [['ok', '  '], 'tags.1'],
    [['x'.repeat(101)], 'tags.0'],
    [['a\nb'], 'tags.0'],
    [['\ud800'], 'tags.0'],
    [['\ufdfa'.repeat(100)], 'tags.0'],
    [[7], 'tags.0'],
    [Array.from({ length: 51 }, (_, index) => `${index}`), 'tags'],
  ]
  for (const [tags, field] of wrong) {
    const bodies: [string, string, object][] = [
      ['PUT', `/assets/${id}`, { tags }],
      ['POST', '/assets/store', { filename: 'a', url: 'https://a.example', tags }],
      ['POST', '/assets/signed', { name: 'a', size: 1, tags }],
      ['POST', '/assets/bulk', { action: 'tag', ids: [id], tags }],
    ]
    for (const [method, path, body] of bodies) {
      const response = await call(method, API + path, body)
      assert.equal(response.status, 422, `${path} ${JSON.stringify(tags)}`)
      assert.deepEqual(Object.keys(response.body.errors), [field])
    }
  }
  const fits = await call('PUT', `${API}/assets/${id}`, { tags: [` ${'x'.repeat(100)} `] })
  assert.equal(fits.body.data.tags[0].length, 100)
  const replaced = await call('POST', `${API}/assets/${id}/signed`, { size: 1, tags: ['a'] })
  assert.deepEqual(Object.keys(replaced.body.errors), ['tags'])
})

test('assets are tagged and untagged in bulk, all or none, and only with the fields of the action', async (t) => {
  const service = await aService(t)
  const { call } = service
  const [one, two] = [(await storeLink(service)).id, (await storeLink(service)).id]
  const ids = [one, two]
  const tags = async () =>
    (await call('GET', `${API}/assets?sort=created_at`)).body.data.map((asset: Asset) => asset.tags)
  const tagged = await call('POST', BULK, { action: 'tag', ids: [one], tags: ['a', 'B'] })
  assert.deepEqual(tagged.body, { data: { action: 'tag', assets: 1, changed: [one] } })
  const again = await call('POST', BULK, { action: 'tag', ids: [...ids, one], tags: ['b'] })
  assert.deepEqual(again.body.data, { action: 'tag', assets: 2, changed: [two] })
  assert.deepEqual(await tags(), [['a', 'B'], ['b']])
  const unknown = '01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f'
  const wrong: [object, string][] = [
    [{ action: 'untag', ids: [one, unknown], tags: ['a'] }, 'ids'],
    [{ action: 'untag', ids }, 'tags'],
    [{ action: 'tag', ids, tags: [] }, 'tags'],
    [{ action: 'tag', ids, tags: ['c'], permanent: true }, 'permanent'],
    [{ action: 'tag', ids, tags: ['c'], product_ids: [1] }, 'product_ids'],
    [{ action: 'delete', ids, tags: ['c'] }, 'tags'],
    [{ action: 'tag', ids, tag: 'c' }, 'tag'],
    [{ action: 'label', ids, tags: ['c'] }, 'action'],
  ]
  for (const [body, field] of wrong) {
    const response = await call('POST', BULK, body)
    assert.equal(response.status, 422, JSON.stringify(body))
    assert.deepEqual(Object.keys(response.body.errors), [field])
  }
  assert.deepEqual(await tags(), [['a', 'B'], ['b']])
  const untagged = await call('POST', BULK, { action: 'untag', ids, tags: ['A', 'b'] })
  assert.deepEqual(untagged.body.data.changed.toSorted(), ids.toSorted())
  assert.deepEqual(await tags(), [[], []])
  const events = (await call('GET', `${API}/events?type=asset.updated`)).body.data
  assert.deepEqual(
    events.map(({ data }: { data: Asset }) => data.tags),
    [['a', 'B'], ['b'], [], []],
  )
  const calls = events.map((event: { call: string | null }) => event.call)
  assert.ok(calls[2] !== null && calls[2] === calls[3], 'one call made both changes')
})

test('lists are filtered by a tag in any spelling, and the trash too', async (t) => {
  const service = await aService(t)
  const { call } = service
  const facts = { url: 'https://a.example', tags: ['Straße 1'] }
  for (const filename of ['a', 'b']) {
    await call('POST', `${API}/assets/store`, { ...facts, filename })
  }
  await storeLink(service)
  const found = async (query: string) => {
    const { body } = await call('GET', `${API}/assets?${query}`)
    assert.equal(body.meta.total, body.data.length, JSON.stringify(body))
    return body.data.map(({ filename }: Asset) => filename)
  }
  const tag = `tag=${encodeURIComponent(' STRASSE 1')}`
  assert.deepEqual(await found(tag), ['b', 'a'])
  assert.deepEqual(await found(`${tag}&filename=A`), ['a'])
  assert.deepEqual(await found('tag=strasse'), [])
  assert.deepEqual(await found(`trashed=true&${tag}`), [])
  const page = await call('GET', `${API}/assets?${tag}&limit=1`)
  assert.match(page.body.links.next, /[?&]tag=/)
  await call('DELETE', `${API}/assets/${page.body.data[0].id}`)
  assert.deepEqual(await found(tag), ['a'])
  assert.deepEqual(await found(`trashed=true&${tag}`), ['b'])
  assert.equal((await found('tag=')).length, 2)
  assert.equal((await call('GET', `${API}/assets?tag=%00`)).status, 422)
})

test('the tags of an account are listed page by page, with their numbers of ready assets', async (t) => {
  const service = await aService(t)
  const { call } = service
  for (const tags of [['b', 'A'], ['c', 'a'], ['d']]) {
    const link = { filename: 'a', url: 'https://a.example', tags }
    await call('POST', `${API}/assets/store`, link)
  }
  await call('POST', `${API}/assets/signed`, { name: 'a', size: 1, tags: ['uploading'] })
  const { body } = await call('GET', `${API}/tags`)
  const counts = (data: Tag[]) => data.map(({ name, assets }) => `${name} ${assets}`)
  assert.deepEqual(counts(body.data), ['A 2', 'b 1', 'c 1', 'd 1'])
  assert.deepEqual([body.meta.total, body.meta.next_after], [4, null])
  assert.deepEqual(await allAfter(service, 1), ['A', 'b', 'c', 'd'])
  assert.deepEqual(await allAfter(service, 3), ['A', 'b', 'c', 'd'])
  const found = await call('GET', `${API}/tags?search=B`)
  assert.deepEqual(counts(found.body.data), ['b 1'])
  const second = await call('GET', `${API}/tags?limit=3&page=2`)
  assert.deepEqual(counts(second.body.data), ['d 1'])
  const past = await call('GET', `${API}/tags?page=99999999`)
  assert.deepEqual([past.status, past.body.data], [200, []])
  for (const wrong of ['after=%00', 'after=', 'after=YQ&page=1', 'limit=0']) {
    assert.equal((await call('GET', `${API}/tags?${wrong}`)).status, 422, wrong)
  }
})

async function allAfter({ call }: TestService, limit: number): Promise<string[]> {
  const names: string[] = []
  let { body } = await call('GET', `${API}/tags?limit=${limit}`)
  for (;;) {
    names.push(...body.data.map(({ name }: Tag) => name))
    if (body.meta.next_after === null) return names
    body = (await call('GET', `${API}/tags?limit=${limit}&after=${body.meta.next_after}`)).body
  }
}
