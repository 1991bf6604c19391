import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '@stowage/protocol'
import {
  aKeyedService,
  anAccount,
  callerWith,
  finishUpload,
  sendUpload,
  type TextResponse,
} from '@stowage/testing/service/accounts'
import { API, putParts, someBytes } from '@stowage/testing/service/upload'
import type { Engines } from '../../../src/compose.ts'
import { aPage } from '../../support/upload-tokens.ts'

/* Runs on sqlite+disk and postgres+ceph. */

const SIGNED = `${API}/assets/signed`

function codeOf({ status, body }: TextResponse): [number, string] {
  return [status, body.code]
}

test('a page uploads a file with a token, and the file is attached to the products of the token', async (t) => {
  const service = await aKeyedService(t, { STOWAGE_CHUNK_SIZE: '10' })
  const { call, keys } = await anAccount(service, { name: 'default' })
  const products = [
    { product_id: 1, variant_id: 11, name: 'Course' },
    { product_id: 1, variant_id: 12, name: 'Course' },
  ]
  await call('PUT', `${API}/products`, { products })
  const shop = callerWith(service.baseUrl, keys.write.secret)
  const page = await aPage(service, shop, { attach: { product_ids: [1] }, expires_in: '2h' })
  assert.match(page.token.token, /^stowup_[0-9A-Za-z]{49}$/)
  const lifeMs = Date.parse(page.token.expires_at) - Date.now()
  assert.ok(lifeMs > 7_000_000 && lifeMs <= 7_201_000, page.token.expires_at)

  const bytes = someBytes(25)
  const sent = await sendUpload(page.call, { name: 'a.zip', bytes })
  const { body: listed } = await call('GET', `${API}/uploads`)
  assert.deepEqual(listed.data[0].started_by, { id: page.token.id, name: 'upload token of write' })
  const resumed = await page.call('GET', `${API}/assets/${sent.session.id}/upload`)
  assert.deepEqual([resumed.status, resumed.body.received.length], [200, 3])
  const asset = await finishUpload(page.call, sent)
  assert.equal(asset.status, 'ready')
  const read = await call('GET', `${API}/assets/${asset.id}?with_products=true`)
  assert.deepEqual(
    read.body.data.products.map((product: { variant_id: number }) => product.variant_id),
    [11, 12],
  )
  assert.deepEqual(await finishUpload(page.call, sent), asset)

  const events = await call('GET', `${API}/events?limit=1000`)
  const byToken = events.body.data.filter((event: Event) => event.actor.type === 'upload_token')
  assert.deepEqual(
    byToken.map(({ type }: Event) => type),
    ['upload.started', 'asset.ready', 'asset.attached'],
  )
  for (const { actor } of byToken) {
    assert.deepEqual(actor, { type: 'upload_token', id: page.token.id, name: 'write' })
  }
})

test('the limits of a token hold for concurrent uploads, and cancelled uploads no longer count', async (t) => {
  const service = await aKeyedService(t)
  const { call } = await anAccount(service, { name: 'default' })
  const page = await aPage(service, call, {
    max_bytes: 100,
    max_files: 4,
    mime: ['image/*', 'Text/Plain'],
  })
  const request = (size: number, mime = 'image/png') =>
    page.call('POST', SIGNED, { name: 'a', size, mime })
  for (const mime of ['application/zip', 'imagery/png', 'text/html', '', undefined]) {
    const refused = await request(10, mime)
    if (mime === undefined) assert.equal(refused.status, 201)
    else
      assert.deepEqual(
        [codeOf(refused), Object.keys(refused.body.errors)],
        [[422, 'invalid'], ['mime']],
      )
  }
  assert.equal((await request(10, 'text/plain; charset=utf-8')).status, 201)
  const responses = await Promise.all(Array.from({ length: 20 }, () => request(10)))
  assert.equal(responses.filter(({ status }) => status === 201).length, 2)
  const refused = responses.find(({ status }) => status !== 201)
  assert.ok(refused)
  assert.deepEqual(codeOf(refused), [403, 'upload_token_exceeded'])
  assert.deepEqual([refused.body.remaining_bytes, refused.body.remaining_files], [60, 0])
  assert.match(refused.body.message, /allows no more files/)
  const session = responses.find(({ status }) => status === 201)?.body
  const { upload_id } = session
  assert.equal(
    (await page.call('POST', `${API}/assets/${session.id}/cancel`, { upload_id })).status,
    200,
  )
  const larger = await request(71)
  assert.deepEqual(
    [codeOf(larger), larger.body.remaining_bytes],
    [[403, 'upload_token_exceeded'], 70],
  )
  assert.match(larger.body.message, /The file needs 71 B, but the upload token has 70 B left/)
  assert.equal((await request(70)).status, 201)
})

test('a resize that is undone because the disk became full uses up nothing of the token', async (t) => {
  let free = 1_000_000_000
  const wrap = ({ database, storage }: Engines): Engines => ({
    storage: { ...storage, freeBytes: async () => free },
    database: {
      ...database,
      of(...args) {
        const data = database.of(...args)
        return {
          ...data,
          async resizeUpload(...resize) {
            const result = await data.resizeUpload(...resize)
            // Another program fills the disk.
            free = 0
            return result
          },
        }
      },
    },
  })
  const service = await aKeyedService(t, {}, { wrap })
  const { call } = await anAccount(service, { name: 'default' })
  const page = await aPage(service, call, { max_bytes: 100, max_files: 2 })
  const { body: session } = await page.call('POST', SIGNED, { name: 'a', size: 10 })
  const refused = await page.call('PATCH', `${API}/assets/${session.id}/upload`, { size: 90 })
  assert.deepEqual(codeOf(refused), [507, 'storage_full'])
  free = 1_000_000_000
  assert.equal((await call('GET', `${API}/account`)).body.data.reserved, 10)
  const rest = await page.call('POST', SIGNED, { name: 'b', size: 90 })
  assert.equal(rest.status, 201, rest.text)
})

test('a token finds no uploads of others, not even by their Idempotency-Key', async (t) => {
  const service = await aKeyedService(t)
  const { call } = await anAccount(service, { name: 'default' })
  const headers = { 'Idempotency-Key': 'order-1' }
  const theirs = [call, (await aPage(service, call)).call]
  const { call: page } = await aPage(service, call, { max_files: 3 })
  const bytes = someBytes(5)
  const unknown = await page('GET', `${API}/assets/${service.context.newId()}/upload`)
  assert.deepEqual(codeOf(unknown), [404, 'not_found'])
  for (const other of theirs) {
    const { session, parts } = await sendUpload(other, { name: 'a', bytes }, headers)
    const { id, upload_id } = session
    for (const response of [
      await page('GET', `${API}/assets/${id}/upload`),
      await page('GET', `${API}/assets/${id}/upload?upload_id=${upload_id}`),
      await page('POST', `${API}/assets/${id}/uploaded`, { upload_id, parts }),
      await page('PUT', `${API}/assets/${id}/uploaded`),
      await page('POST', `${API}/assets/${id}/cancel`, { upload_id }),
    ]) {
      assert.deepEqual([response.status, response.text], [404, unknown.text])
    }
    assert.equal((await finishUpload(other, { session, parts })).status, 'ready')
  }
  const own = await sendUpload(page, { name: 'a', bytes }, headers)
  const again = await page('POST', SIGNED, { name: 'a', size: 5, mime: 'application/zip' }, headers)
  assert.deepEqual([again.status, again.body.id], [201, own.session.id])
  const wrong = { upload_id: service.context.newId() }
  assert.equal((await page('POST', `${API}/assets/${own.session.id}/cancel`, wrong)).status, 422)
  const other = await page('POST', SIGNED, { name: 'b', size: 5 }, headers)
  assert.deepEqual(codeOf(other), [409, 'idempotency_key_reused'])
})

test('a token that replaces a file uploads new versions of that file only', async (t) => {
  const service = await aKeyedService(t)
  const { call } = await anAccount(service, { name: 'default' })
  const files = []
  for (const name of ['a', 'b']) {
    files.push(await finishUpload(call, await sendUpload(call, { name, bytes: someBytes(5) })))
  }
  const [asset, other] = files
  assert.ok(asset && other)
  const page = await aPage(service, call, { replace: asset.id.toUpperCase(), max_files: 2 })
  assert.deepEqual(codeOf(await page.call('POST', SIGNED, { name: 'c', size: 5 })), [
    403,
    'forbidden',
  ])
  for (const id of [other.id, service.context.newId()]) {
    const refused = await page.call('POST', `${API}/assets/${id}/signed`, { size: 5 })
    assert.deepEqual(codeOf(refused), [403, 'forbidden'])
  }
  const plain = await aPage(service, call)
  const refused = await plain.call('POST', `${API}/assets/${asset.id}/signed`, { size: 5 })
  assert.deepEqual(codeOf(refused), [403, 'forbidden'])

  const bytes = someBytes(8, 2)
  const { body: session } = await page.call('POST', `${API}/assets/${asset.id}/signed`, { size: 8 })
  const { upload_id } = session
  const resume = `${API}/assets/${asset.id}/upload`
  assert.equal((await page.call('GET', `${resume}?upload_id=${upload_id}`)).status, 200)
  // The upload that created the asset is not the token's.
  assert.equal((await page.call('GET', resume)).status, 404)
  assert.equal((await plain.call('GET', `${resume}?upload_id=${upload_id}`)).status, 404)
  const parts = await putParts(session, bytes)
  const done = await page.call('POST', `${API}/assets/${asset.id}/uploaded`, { upload_id, parts })
  assert.deepEqual([done.status, done.body.data.version, done.body.data.bytes], [200, 2, 8])

  const { body: theirs } = await call('POST', `${API}/assets/${asset.id}/signed`, { size: 5 })
  for (const id of [theirs.upload_id, service.context.newId()]) {
    assert.equal((await page.call('GET', `${resume}?upload_id=${id}`)).status, 404)
  }
})
