import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { readObjects } from '@stowage/testing/engines/test-engines'
import { runJobs, takeOverJobs } from '@stowage/testing/service/jobs'
import { aService } from '@stowage/testing/service/service'
import {
  assertUsageConsistent,
  attach,
  productsOf,
  putProduct,
  storeLink,
} from '@stowage/testing/service/shop'
import { API, download, someBytes, uploadFile } from '@stowage/testing/service/upload'

const DAY_MS = 24 * 3_600_000

test('a deleted asset is listed in the trash and restored with its products', async (t) => {
  const service = await aService(t)
  const { baseUrl, call } = service
  const context = await takeOverJobs(service)
  const bytes = someBytes(25, 1)
  const { id } = await uploadFile(baseUrl, { bytes, name: 'book.pdf' })
  const product = await putProduct(service, { variant_id: 1 })
  await attach(service, id, { products: [product.id] })
  const before = (await call('GET', `${API}/assets/${id}`)).body.data

  const deleted = await call('DELETE', `${API}/assets/${id}`)
  assert.deepEqual([deleted.status, deleted.body], [202, { deleted: true }])
  assert.equal((await call('GET', `${API}/assets/${id}`)).status, 404)
  assert.equal((await call('DELETE', `${API}/assets/${id}`)).status, 404)
  assert.deepEqual((await call('GET', `${API}/assets`)).body.data, [])
  const { data, meta } = (await call('GET', `${API}/assets?trashed=true`)).body
  const [{ deleted_at, removed_after, ...listed }] = data
  assert.deepEqual(listed, before)
  assert.equal(Date.parse(removed_after) - Date.parse(deleted_at), 30 * DAY_MS)
  assert.equal(meta.total, 1)
  const { stored, trash } = (await call('GET', `${API}/account`)).body.data
  assert.deepEqual([stored, trash], [0, 25])
  await runJobs(context)
  assert.equal((await readObjects(service)).length, 1)

  const restored = await call('POST', `${API}/assets/${id}/restore`)
  assert.deepEqual([restored.status, restored.body.data], [200, before])
  assert.equal((await call('POST', `${API}/assets/${id}/restore`)).status, 200)
  assert.deepEqual(await download(baseUrl, id), bytes)
  assert.equal((await productsOf(service, id)).length, 1)
  await assertUsageConsistent(service)
})

test('a permanent deletion and emptying the trash remove the files', async (t) => {
  const service = await aService(t)
  const { baseUrl, call } = service
  const context = await takeOverJobs(service)
  const ids: string[] = []
  for (const seed of [1, 2, 3]) {
    ids.push((await uploadFile(baseUrl, { bytes: someBytes(9, seed) })).id)
  }
  const [first, second, third] = ids
  assert.equal((await call('DELETE', `${API}/assets/${first}?permanent=true`)).status, 202)
  assert.equal((await call('DELETE', `${API}/assets/${second}`)).status, 202)
  assert.equal((await call('DELETE', `${API}/assets/${second}?permanent=1`)).status, 202)
  assert.equal((await call('POST', `${API}/assets/${second}/restore`)).status, 404)
  assert.equal((await call('DELETE', `${API}/assets/${third}`)).status, 202)
  assert.equal((await call('DELETE', `${API}/trash`)).status, 202)
  assert.equal((await call('DELETE', `${API}/trash`)).status, 202)
  assert.deepEqual((await call('GET', `${API}/assets?trashed=1`)).body.data, [])
  await runJobs(context)
  assert.deepEqual(await readObjects(service), [])
  await assertUsageConsistent(service)
})

test('one call permanently deletes several assets, in the trash or not, or none of them if one is unknown', async (t) => {
  const service = await aService(t)
  const { baseUrl, call } = service
  const context = await takeOverJobs(service)
  const { id } = await uploadFile(baseUrl, { bytes: someBytes(9, 1) })
  const { id: trashed } = await uploadFile(baseUrl, { bytes: someBytes(9, 2) })
  assert.equal((await call('DELETE', `${API}/assets/${trashed}`)).status, 202)
  const bulk = (body: object) => call('POST', `${API}/assets/bulk`, body)

  const unknown = randomUUID()
  const refused = await bulk({ action: 'delete', permanent: true, ids: [id, trashed, unknown] })
  assert.equal(refused.status, 422)
  assert.match(refused.body.errors.ids[0], new RegExp(unknown))
  const misused = await bulk({ action: 'restore', permanent: true, ids: [trashed] })
  assert.deepEqual(misused.body.errors, { permanent: ['can only be used with delete'] })
  assert.equal((await call('GET', `${API}/assets?trashed=true`)).body.meta.total, 1)

  const deleted = await bulk({ action: 'delete', permanent: true, ids: [id, trashed] })
  assert.deepEqual(deleted.body, { data: { action: 'delete', assets: 2 } })
  assert.equal((await call('GET', `${API}/assets`)).body.meta.total, 0)
  assert.equal((await call('GET', `${API}/assets?trashed=true`)).body.meta.total, 0)
  assert.equal((await bulk({ action: 'restore', ids: [id, trashed] })).status, 422)
  await runJobs(context)
  assert.deepEqual(await readObjects(service), [])
  await assertUsageConsistent(service)
})

test('without a trash, deleted assets are removed immediately', async (t) => {
  const service = await aService(t, { STOWAGE_TRASH_FOR: '0' })
  const { baseUrl, call } = service
  assert.equal((await call('GET', `${API}/account`)).body.data.trash_for, 0)
  const { id } = await uploadFile(baseUrl, { bytes: someBytes(9, 1) })
  assert.equal((await call('DELETE', `${API}/assets/${id}`)).status, 202)
  const { id: other } = await uploadFile(baseUrl, { bytes: someBytes(9, 1) })
  assert.equal((await call('POST', `${API}/assets/deleted-all`)).status, 202)
  for (const each of [id, other]) {
    assert.equal((await call('POST', `${API}/assets/${each}/restore`)).status, 404)
  }
})

test('several assets are changed together, or none of them', async (t) => {
  const service = await aService(t)
  const { baseUrl, call } = service
  const { id } = await uploadFile(baseUrl, { bytes: someBytes(9, 1) })
  const link = await storeLink(service)
  const product = await putProduct(service, { variant_id: 1 })
  const ids = [id, link.id]
  const unknown = randomUUID()
  const bulk = (body: object) => call('POST', `${API}/assets/bulk`, body)

  const refused = await bulk({ action: 'delete', ids: [...ids, unknown] })
  assert.equal(refused.status, 422)
  assert.match(refused.body.errors.ids[0], new RegExp(unknown))
  assert.equal((await call('GET', `${API}/assets`)).body.meta.total, 2)
  assert.equal((await bulk({ action: 'attach', ids })).status, 422)
  const attached = await bulk({ action: 'attach', ids, products: [product.id] })
  assert.deepEqual(attached.body, { data: { action: 'attach', assets: 2 } })
  assert.equal((await call('GET', `${API}/assets?attached=true`)).body.meta.total, 2)
  assert.equal((await bulk({ action: 'detach', ids, products: [product.id] })).status, 200)
  assert.equal((await call('GET', `${API}/assets?attached=true`)).body.meta.total, 0)
  assert.equal((await bulk({ action: 'delete', ids: [id, id.toUpperCase()] })).status, 200)
  assert.equal((await bulk({ action: 'delete', ids })).status, 200)
  assert.equal((await bulk({ action: 'restore', ids })).status, 200)
  assert.equal((await call('POST', `${API}/assets/deleted-all`)).status, 202)
  assert.equal((await call('GET', `${API}/assets?trashed=true`)).body.meta.total, 2)
  await assertUsageConsistent(service)
})

test('a job removes assets whose time in the trash has ended', async (t) => {
  const service = await aService(t)
  const { baseUrl, call } = service
  const context = await takeOverJobs(service)
  const { id } = await uploadFile(baseUrl, { bytes: someBytes(9, 1) })
  assert.equal((await call('DELETE', `${API}/assets/${id}`)).status, 202)
  await runJobs(context)
  assert.equal((await call('GET', `${API}/assets?trashed=true`)).body.meta.total, 1)
  // With this setting, the asset's time in the trash has ended.
  await runJobs({ ...context, settings: { ...context.settings, trashForMs: -1000 } })
  assert.equal((await call('GET', `${API}/assets?trashed=true`)).body.meta.total, 0)
  await runJobs(context)
  assert.deepEqual(await readObjects(service), [])
  await assertUsageConsistent(service)
})
