import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asset } from '@stowage/protocol'
import { makeStorageUnavailable, readObjects } from '@stowage/testing/engines/test-engines'
import { runJobs } from '@stowage/testing/service/jobs'
import { aService, type TestService } from '@stowage/testing/service/service'
import {
  assertUsageConsistent,
  attach,
  namesOf,
  productsOf,
  putProduct,
  storeLink,
} from '@stowage/testing/service/shop'
import {
  API,
  complete,
  download,
  putPart,
  putParts,
  requestSession,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'
import { forAccount } from '../../../src/operations/context.ts'
import { deleteAsset } from '../../../src/operations/trash.ts'

/* Runs on sqlite+disk and postgres+disk. */

const SETTINGS = { STOWAGE_TRASH_FOR: '0', STOWAGE_CHUNK_SIZE: '10', STOWAGE_PLAN_STORAGE: '100' }

function remove({ call }: TestService, id: string) {
  return call('DELETE', `${API}/assets/${id}`)
}

async function accountOf({ call }: TestService) {
  const { stored, reserved, available, assets } = (await call('GET', `${API}/account`)).body.data
  return { stored, reserved, available, assets }
}

async function ownContext({ context }: TestService) {
  const [usage] = await context.database.compareUsage()
  assert.ok(usage)
  return forAccount(context, usage.accountId)
}

test('a deleted asset is immediately gone from every endpoint, list, filter and product', async (t) => {
  const service = await aService(t, SETTINGS)
  const product = await putProduct(service, { variant_id: 11 })
  const file = await uploadFile(service.baseUrl, { name: 'doomed.bin', bytes: someBytes(25) })
  const link = await storeLink(service, { filename: 'doomed link' })
  const kept = await storeLink(service, { filename: 'kept' })
  for (const { id } of [file, link, kept]) await attach(service, id, { product_ids: [1] })

  for (const { id } of [file, link]) {
    const response = await remove(service, id)
    assert.deepEqual([response.status, response.body], [202, { deleted: true }])
    const path = `${API}/assets/${id}`
    const calls: [method: string, path: string, body?: object][] = [
      ['DELETE', path],
      ['GET', path],
      ['GET', `${path}?with_products=true`],
      ['GET', `${path}/download`],
      ['GET', `${path}/upload`],
      ['PUT', path, { filename: 'back.bin' }],
      ['POST', `${path}/attach`, { product_ids: [1] }],
      ['POST', `${path}/detach`, { product_ids: [1] }],
    ]
    for (const [method, target, body] of calls) {
      const { status, body: refusal } = await service.call(method, target, body)
      assert.deepEqual([status, refusal.code], [404, 'not_found'], `${method} ${target}`)
    }
  }
  for (const query of [
    '',
    'attached=true',
    'sku=SKU-11',
    'product_id=1',
    'sort=bytes',
    'type=link',
  ]) {
    assert.deepEqual(await namesOf(service, query), ['kept'], query)
  }
  for (const query of ['filename=doomed', 'filename=d', 'attached=false', 'type=file']) {
    assert.deepEqual(await namesOf(service, query), [], query)
  }
  const { data } = (await service.call('GET', `${API}/products/${product.id}?with_assets=1`)).body
  assert.deepEqual(
    data.assets.map(({ id }: Asset) => id),
    [kept.id],
  )
  assert.deepEqual(await accountOf(service), { stored: 0, reserved: 0, available: 100, assets: 1 })
  await assertUsageConsistent(service)
})

test('the bytes of a deleted file are immediately available to another upload', async (t) => {
  const service = await aService(t, SETTINGS)
  const file = await uploadFile(service.baseUrl, { bytes: someBytes(60) })
  const request = { name: 'next.bin', size: 60 }
  const refused = await service.call('POST', `${API}/assets/signed`, request)
  assert.deepEqual([refused.status, refused.body.available], [402, 40])
  await remove(service, file.id)
  assert.deepEqual(await accountOf(service), { stored: 0, reserved: 0, available: 100, assets: 0 })
  const bytes = someBytes(60, 2)
  const next = await uploadFile(service.baseUrl, { bytes })
  assert.deepEqual(await download(service.baseUrl, next.id), bytes)
  assert.deepEqual(await accountOf(service), { stored: 60, reserved: 0, available: 40, assets: 1 })
})

test('deleting a file removes its object from the storage and no other object', async (t) => {
  const service = await aService(t, SETTINGS)
  const bytes = someBytes(25)
  const [doomed, kept] = [1, 2].map(() => uploadFile(service.baseUrl, { bytes }))
  const [{ id }, other] = [await doomed, await kept] as [Asset, Asset]
  const response = await service.call('GET', `${API}/assets/${id}/download`)
  const url = response.headers.get('location') ?? ''
  assert.deepEqual(await readObjects(service), [id, other.id].sort())
  await remove(service, id)
  await runJobs(service.context)
  assert.deepEqual(await readObjects(service), [other.id])
  assert.deepEqual(await service.context.database.listRemovals(10), [])
  // A URL that was signed before the deletion returns 404.
  assert.equal((await fetch(url)).status, 404)
  assert.deepEqual(await download(service.baseUrl, other.id), bytes)
})

test('a DELETE with a JSON Content-Type is accepted with an empty object or no body', async (t) => {
  const service = await aService(t, SETTINGS)
  const type = { 'Content-Type': 'application/json' }
  const product = await putProduct(service, { variant_id: 11 })
  for (const body of ['{}', undefined]) {
    const { id } = await storeLink(service)
    const response = await service.call('DELETE', `${API}/assets/${id}`, body, type)
    assert.equal(response.status, 202, `${body}: ${JSON.stringify(response.body)}`)
  }
  const response = await service.call('DELETE', `${API}/products/${product.id}`, undefined, type)
  assert.equal(response.status, 202, JSON.stringify(response.body))
})

test('deleting an asset that is uploading cancels its upload', async (t) => {
  const service = await aService(t, SETTINGS)
  const product = await putProduct(service, { variant_id: 11 })
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  await attach(service, session.id, { product_ids: [1] })
  await putParts(session, someBytes(25))
  const response = await remove(service, session.id)
  assert.deepEqual([response.status, response.body], [202, { deleted: true }])
  assert.deepEqual(await accountOf(service), { stored: 0, reserved: 0, available: 100, assets: 0 })
  assert.equal((await remove(service, session.id)).status, 404)
  assert.equal((await service.call('GET', `${API}/assets/${session.id}`)).status, 404)
  assert.equal((await complete(service.baseUrl, session)).status, 404)
  await runJobs(service.context)
  assert.deepEqual(await Array.fromAsync(service.context.storage.listUploads()), [])
  assert.equal((await putPart(session.urls[0]?.url ?? '', someBytes(10))).status, 404)
  const { data } = (await service.call('GET', `${API}/products/${product.id}?with_assets=1`)).body
  assert.deepEqual(data.assets, [])
  await assertUsageConsistent(service)
})

test('an asset whose upload is being completed is not deleted until it is ready', async (t) => {
  const service = await aService(t, SETTINGS)
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  await putParts(session, someBytes(25))
  const { data } = await ownContext(service)
  await data.beginCompletion(session.id, { keptForMs: 3_600_000 })
  const early = await remove(service, session.id)
  assert.deepEqual([early.status, early.body.code], [409, 'upload_completing'])
  assert.equal((await complete(service.baseUrl, session)).status, 200)
  assert.equal((await remove(service, session.id)).status, 202)
})

test('a delete that loses a race against a completion returns upload_completing, not not_found', async (t) => {
  const service = await aService(t, SETTINGS)
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  await putParts(session, someBytes(25))
  const own = await ownContext(service)
  // Simulates another instance that begins the completion between the failed delete and the read of the status.
  const overtaken = {
    ...own.data,
    async deleteAsset(id: string) {
      const transition = await own.data.deleteAsset(id)
      await own.data.beginCompletion(id, { keptForMs: 3_600_000 })
      return transition
    },
  }
  const deletion = deleteAsset({ ...own, data: overtaken }, session.id)
  await assert.rejects(deletion, { code: 'upload_completing' })
  assert.equal((await complete(service.baseUrl, session)).status, 200)
})

test('the Idempotency-Key of a deleted asset starts no new upload', async (t) => {
  const service = await aService(t, SETTINGS)
  const headers = { 'Idempotency-Key': 'once' }
  const body = { name: 'file.bin', size: 25 }
  const request = () => service.call('POST', `${API}/assets/signed`, body, headers)
  const { body: session } = await request()
  await complete(service.baseUrl, session, await putParts(session, someBytes(25)))
  assert.deepEqual([(await request()).status, (await request()).body.urls], [201, []])
  await remove(service, session.id)
  const response = await request()
  assert.deepEqual([response.status, response.body.code], [409, 'upload_ended'])
  assert.match(response.body.message, /deleted/)
  assert.deepEqual(await accountOf(service), { stored: 0, reserved: 0, available: 100, assets: 0 })
})

test('a link can be deleted while the storage is unavailable', async (t) => {
  const service = await aService(t, SETTINGS)
  const { id } = await storeLink(service)
  await makeStorageUnavailable(service)
  assert.equal((await remove(service, id)).status, 202)
  assert.deepEqual(await service.context.database.listRemovals(10), [])
})

test('deleting a product keeps its assets and detaches them immediately', async (t) => {
  const service = await aService(t, SETTINGS)
  const [doomed, kept] = [11, 12].map((variant_id) => putProduct(service, { variant_id }))
  const products = [await doomed, await kept]
  const both = await storeLink(service, { filename: 'both' })
  const single = await uploadFile(service.baseUrl, { name: 'single', bytes: someBytes(25) })
  await attach(service, both.id, { product_ids: [1] })
  await attach(service, single.id, { variant_ids: [11] })
  const response = await service.call('DELETE', `${API}/products/${products[0]?.id}`)
  assert.deepEqual([response.status, response.body], [202, { deleted: true }])
  assert.deepEqual(await productsOf(service, both.id), [products[1]])
  assert.deepEqual(await productsOf(service, single.id), [])
  assert.deepEqual(await namesOf(service, 'attached=true'), ['both'])
  assert.deepEqual(await namesOf(service, 'attached=false'), ['single'])
  assert.deepEqual(await namesOf(service, 'sku=SKU-11'), [])
  assert.deepEqual(await namesOf(service, 'product_id=1'), ['both'])
  assert.deepEqual(await download(service.baseUrl, single.id), someBytes(25))
})
