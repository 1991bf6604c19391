import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asset } from '@stowage/protocol'
import { aService, type TestService } from '@stowage/testing/service/service'
import { storeLink } from '@stowage/testing/service/shop'
import { API, complete, putParts, someBytes } from '@stowage/testing/service/upload'

async function sign({ call }: TestService, fields: object, headers?: Record<string, string>) {
  const file = { name: 'notes.txt', size: 25, mime: 'text/plain', ...fields }
  return call('POST', `${API}/assets/signed`, file, headers)
}

async function listed({ call }: TestService, query: string): Promise<(string | null)[]> {
  const { status, body } = await call('GET', `${API}/assets?sort=created_at&${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(body.meta.total, body.data.length)
  return body.data.map(({ path }: Asset) => path)
}

test('a file keeps the folder it came from, and files with the same name can have different folders', async (t) => {
  const service = await aService(t, { STOWAGE_CHUNK_SIZE: '10' })
  const { call, baseUrl } = service
  const bytes = someBytes(25)
  for (const path of ['course/week 1', 'Cafe\u0301']) {
    const { body: session } = await sign(service, { path })
    const done = await complete(baseUrl, session, await putParts(session, bytes))
    assert.equal(done.body.data.path, path.normalize('NFC'))
    assert.equal(done.body.data.filename, 'notes.txt')
  }
  assert.deepEqual(await listed(service, 'filename=notes'), ['course/week 1', 'Café'])
  assert.deepEqual(await listed(service, 'filename=notes&path=course'), ['course/week 1'])
  assert.deepEqual(await listed(service, `path=${encodeURIComponent('Cafe\u0301/')}`), ['Café'])
  const { body: open } = await sign(service, { path: 'course/week 2' })
  assert.equal((await call('GET', `${API}/uploads`)).body.data[0].path, 'course/week 2')
  assert.equal((await call('GET', `${API}/assets/${open.id}`)).body.data.path, 'course/week 2')
})

test('a file has no folder if its path is missing, empty or null', async (t) => {
  const service = await aService(t)
  for (const fields of [{}, { path: '' }, { path: null }]) {
    const { status, body } = await sign(service, fields)
    assert.equal(status, 201)
    assert.equal((await service.call('GET', `${API}/assets/${body.id}`)).body.data.path, null)
  }
})

test('a path filter finds a folder and everything below it, with exact totals', async (t) => {
  const service = await aService(t)
  const paths = ['course', 'course/a', 'course/a/b', 'course2', 'course 2', 'Course', '']
  for (const path of paths) await storeLink(service, { path })
  const below = ['course', 'course/a', 'course/a/b']
  assert.deepEqual(await listed(service, 'path=course'), below)
  assert.deepEqual(await listed(service, 'path=course/'), below)
  assert.deepEqual(await listed(service, 'path=course/a'), below.slice(1))
  assert.deepEqual(await listed(service, 'path=cours'), [])
  assert.equal((await listed(service, 'path=')).length, 7)
  assert.equal((await listed(service, 'path=/')).length, 7)
  const page = await service.call('GET', `${API}/assets?path=course/&limit=2`)
  assert.deepEqual([page.body.meta.total, page.body.meta.last_page], [3, 2])
  assert.match(page.body.links.next, /path=course%2F/)
})

test('the path of an asset can be changed and removed', async (t) => {
  const service = await aService(t)
  const { id } = await storeLink(service, { path: 'from' })
  const change = async (body: object) =>
    (await service.call('PUT', `${API}/assets/${id}`, body)).body
  assert.equal((await change({ path: 'to/there' })).data.path, 'to/there')
  assert.equal((await change({ filename: 'renamed.zip' })).data.path, 'to/there')
  assert.deepEqual(
    [await listed(service, 'path=from'), await listed(service, 'path=to')],
    [[], ['to/there']],
  )
  const refused = await change({ path: '../up', filename: 'x.zip' })
  assert.equal(refused.code, 'invalid')
  const { body } = await service.call('GET', `${API}/assets/${id}`)
  assert.deepEqual([body.data.path, body.data.filename], ['to/there', 'renamed.zip'])
  assert.equal((await change({ path: null })).data.path, null)
})

test('an Idempotency-Key that is repeated with another path is refused', async (t) => {
  const service = await aService(t)
  const key = { 'Idempotency-Key': 'one' }
  const first = await sign(service, { path: 'Cafe\u0301' }, key)
  const same = await sign(service, { path: 'Café' }, key)
  assert.equal(same.body.id, first.body.id)
  for (const fields of [{ path: 'other' }, {}]) {
    const { status, body } = await sign(service, fields, key)
    assert.deepEqual([status, body.code], [409, 'idempotency_key_reused'])
  }
})
