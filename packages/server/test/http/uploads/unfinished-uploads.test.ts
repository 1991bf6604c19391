import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ListedUpload } from '@stowage/protocol'
import {
  ADMIN_KEY,
  aKeyedService,
  anAccount,
  callerWith,
  finishUpload,
  requestKey,
  sendUpload,
} from '@stowage/testing/service/accounts'
import { aService } from '@stowage/testing/service/service'
import { API, putPart, requestSession, someBytes } from '@stowage/testing/service/upload'

const BYTES = someBytes(25)

async function aShop(t: TestContext) {
  const service = await aKeyedService(t, { STOWAGE_CHUNK_SIZE: '10' })
  const account = await anAccount(service, { name: 'default' })
  return { service, ...account }
}

test('an unfinished upload is listed with its received parts and the key that started it', async (t) => {
  const { call, service } = await aShop(t)
  const key = await requestKey(call, 'write', 'shop backend')
  const withKey = callerWith(service.baseUrl, key.secret)
  const file = { name: 'Pack.zip', size: 25, mime: 'application/zip' }
  const { body: session } = await withKey('POST', `${API}/assets/signed`, file)
  for (const { part, start, end, url } of session.urls) {
    if (part !== 2) assert.equal((await putPart(url, BYTES.subarray(start, end))).status, 200)
  }
  // The name of a revoked key is kept.
  await call('DELETE', `${API}/keys/${key.id}`)
  const { status, text, body } = await call('GET', `${API}/uploads`)
  assert.equal(status, 200, text)
  const [upload] = body.data as ListedUpload[]
  assert.ok(upload)
  const { created_at, upload_expires_at, expires_at, ...rest } = upload
  assert.deepEqual(rest, {
    id: session.id,
    upload_id: session.upload_id,
    filename: 'Pack.zip',
    is_replacement: false,
    path: null,
    bytes: 25,
    mime: 'application/zip',
    status: 'uploading',
    chunk_size: 10,
    parts: 3,
    received_parts: 2,
    received_bytes: 15,
    started_by: { id: key.id, name: 'shop backend' },
  })
  assert.equal(expires_at, upload_expires_at)
  const keptForMs = Date.parse(upload_expires_at) - Date.parse(created_at)
  assert.ok(Math.abs(keptForMs - 7 * 24 * 3_600_000) < 60_000, `${keptForMs}`)
  assert.deepEqual([body.meta.total, body.meta.current_page, body.links.next], [1, 1, null])
})

test('finished and cancelled uploads are not listed', async (t) => {
  const { call } = await aShop(t)
  const listed = async () => (await call('GET', `${API}/uploads`)).body.meta.total
  const finished = await sendUpload(call, { name: 'finished.zip', bytes: BYTES })
  const { session } = await sendUpload(call, { name: 'cancelled.zip', bytes: BYTES })
  assert.equal(await listed(), 2)
  await finishUpload(call, finished)
  await call('POST', `${API}/assets/${session.id}/cancel`, { upload_id: session.upload_id })
  assert.equal(await listed(), 0)
})

test('the list shows STOWAGE_ADMIN_KEY, without an ID, as the key that started an upload', async (t) => {
  const { service } = await aShop(t)
  const withAdminKey = callerWith(service.baseUrl, ADMIN_KEY)
  await sendUpload(withAdminKey, { name: 'a.zip', bytes: BYTES })
  const { body } = await withAdminKey('GET', `${API}/uploads`)
  assert.deepEqual(body.data[0]?.started_by, { id: null, name: 'STOWAGE_ADMIN_KEY' })
})

test('uploads are filtered by name and read page by page, with every parameter in the links', async (t) => {
  const { baseUrl, call } = await aService(t)
  for (const name of ['a 1.zip', 'b.zip', 'A 2.zip', 'a 3.zip']) {
    await requestSession(baseUrl, { name, bytes: BYTES })
  }
  const first = (await call('GET', `${API}/uploads?filename=A%20&limit=2`)).body
  const names = ({ data }: { data: ListedUpload[] }) => data.map(({ filename }) => filename)
  assert.deepEqual(names(first), ['a 3.zip', 'A 2.zip'])
  assert.equal(first.data[0].started_by, null)
  assert.deepEqual([first.meta.total, first.meta.last_page], [3, 2])
  const second = (await call('GET', first.links.next.slice(baseUrl.length))).body
  assert.deepEqual(names(second), ['a 1.zip'])
  const after = `${API}/uploads?filename=a%20&limit=2&after=${first.meta.next_after}`
  assert.deepEqual(names((await call('GET', after)).body), ['a 1.zip'])
  const { status, body } = await call('GET', `${API}/uploads?limit=0`)
  assert.deepEqual([status, body.code], [422, 'invalid'])
})

test('while the storage does not respond, uploads are listed with received_bytes null', async (t) => {
  const { baseUrl, call } = await aService(t, {}, undefined, {
    wrap: ({ storage }) => ({
      storage: { ...storage, listParts: () => Promise.reject(new Error('unavailable')) },
    }),
  })
  await requestSession(baseUrl, { bytes: BYTES })
  const { status, body } = await call('GET', `${API}/uploads`)
  const [{ received_bytes, received_parts, bytes }] = body.data
  assert.deepEqual([status, received_bytes, received_parts, bytes], [200, null, null, 25])
})
