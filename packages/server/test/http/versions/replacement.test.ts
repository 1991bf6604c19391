import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readObjects } from '@stowage/testing/engines/test-engines'
import { JOBS, runJobs, takeOverJobs } from '@stowage/testing/service/jobs'
import { aService } from '@stowage/testing/service/service'
import {
  assertUsageConsistent,
  attach,
  productsOf,
  putProduct,
  storeLink,
} from '@stowage/testing/service/shop'
import {
  API,
  callUrl,
  cancel,
  complete,
  download,
  downloadUrl,
  putPart,
  putParts,
  requestSession,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'
import {
  deleteVersion,
  downloadVersion,
  numbersOf,
  replaceFile,
  requestReplacement,
  restore,
  startReplacement,
  versionsOf,
} from '../../support/versions.ts'

/* Runs on sqlite+disk and postgres+ceph. */

const SETTINGS = { STOWAGE_TRASH_FOR: '0', STOWAGE_CHUNK_SIZE: '10' }

test('a replaced file is downloaded with its new content under the same asset', async (t) => {
  const service = await aService(t, SETTINGS)
  const { baseUrl, call } = service
  const [old, bytes] = [someBytes(25, 1), someBytes(42, 2)]
  const before = await uploadFile(baseUrl, {
    bytes: old,
    name: 'book.pdf',
    mime: 'application/pdf',
  })
  const { id } = before
  const product = await putProduct(service, { variant_id: 1 })
  await attach(service, id, { products: [product.id] })

  const session = await startReplacement(service, id, { bytes })
  assert.equal(session.id, id)
  assert.deepEqual(session.asset, { id, filename: 'book.pdf', size: '42 B' })
  assert.equal(session.file_url, `${baseUrl}/assets/${id}`)
  const parts = await putParts(session, bytes)
  assert.deepEqual((await call('GET', `${API}/assets/${id}`)).body.data, before)
  assert.deepEqual(await download(baseUrl, id), old)
  const [listed] = (await call('GET', `${API}/uploads`)).body.data
  assert.deepEqual(
    [listed.id, listed.upload_id, listed.is_replacement],
    [id, session.upload_id, true],
  )

  const done = await complete(baseUrl, session, parts)
  assert.equal(done.status, 200)
  const { updated_at, ...after } = done.body.data
  const { updated_at: created, ...unchanged } = before
  assert.deepEqual(after, { ...unchanged, bytes: 42, size: '42 B', version: 2 })
  assert.ok(updated_at > created)
  assert.deepEqual((await complete(baseUrl, session, parts)).body, done.body)
  assert.deepEqual(await download(baseUrl, id), bytes)
  assert.equal((await productsOf(service, id)).length, 1)
  assert.deepEqual(await downloadVersion(service, id, 1), old)
  assert.deepEqual(await downloadVersion(service, id, 2), bytes)
  const versions = await versionsOf(service, id)
  assert.deepEqual(
    versions.map(({ created_at, ...version }) => version),
    [
      {
        version: 2,
        filename: 'book.pdf',
        size: '42 B',
        bytes: 42,
        mime: 'application/pdf',
        checksum: null,
        damaged: false,
        current: true,
        removed_next: false,
      },
      {
        version: 1,
        filename: 'book.pdf',
        size: '25 B',
        bytes: 25,
        mime: 'application/pdf',
        checksum: null,
        damaged: false,
        current: false,
        removed_next: false,
      },
    ],
  )
  assert.equal((await call('GET', `${API}/account`)).body.data.stored, 67)
  const tooLate = await cancel(baseUrl, session)
  assert.deepEqual([tooLate.status, tooLate.body.code], [409, 'already_uploaded'])
  await assertUsageConsistent(service)
})

test('an asset has one replacement at a time, which can be resumed, resized and cancelled', async (t) => {
  const service = await aService(t, SETTINGS)
  const { baseUrl, call } = service
  const old = someBytes(25, 1)
  const { id } = await uploadFile(baseUrl, { bytes: old })
  const bytes = someBytes(20, 2)
  const session = await startReplacement(service, id, { bytes })
  const second = await requestReplacement(service, id, { bytes })
  assert.deepEqual(
    [second.status, second.body.code, second.body.upload_id],
    [409, 'replacement_in_progress', session.upload_id],
  )
  const path = `${API}/assets/${id}/upload`
  assert.equal((await call('GET', path)).body.status, 'ready')
  const selected = `${path}?upload_id=${session.upload_id.toUpperCase()}`
  const resumed = await call('GET', selected)
  assert.deepEqual(
    [resumed.body.id, resumed.body.status, resumed.body.urls.length],
    [id, 'uploading', 2],
  )
  const resized = await call('PATCH', selected, { size: 15 })
  assert.deepEqual([resized.status, resized.body.urls.at(-1).end], [200, 15])
  const other = await call('GET', `${path}?upload_id=${id}`)
  assert.deepEqual([other.status, Object.keys(other.body.errors)], [422, ['upload_id']])
  const reserved = async () => (await call('GET', `${API}/account`)).body.data.reserved
  assert.equal(await reserved(), 15)
  for (let repeat = 0; repeat < 2; repeat += 1) {
    const cancelled = await cancel(baseUrl, session)
    assert.deepEqual(cancelled.body, {
      data: { id, upload_id: session.upload_id, status: 'cancelled' },
    })
  }
  assert.equal(await reserved(), 0)
  assert.equal((await complete(baseUrl, session)).status, 404)
  assert.equal((await call('GET', selected)).status, 404)
  assert.deepEqual(await download(baseUrl, id), old)
  assert.equal((await replaceFile(service, id, { bytes })).version, 2)
})

test('a repeated Idempotency-Key returns the same replacement, even after its completion', async (t) => {
  const service = await aService(t, SETTINGS)
  const { baseUrl } = service
  const { id } = await uploadFile(baseUrl, { bytes: someBytes(5) })
  const bytes = someBytes(20, 2)
  const request = async (size: number) => {
    const response = await fetch(`${baseUrl}${API}/assets/${id}/signed`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'key' },
      body: JSON.stringify({ size }),
    })
    return { status: response.status, body: await response.json() }
  }
  const first = await request(20)
  const again = await request(20)
  assert.deepEqual([again.status, again.body.upload_id], [201, first.body.upload_id])
  assert.equal((await request(21)).body.code, 'idempotency_key_reused')
  const parts = await putParts(first.body, bytes)
  assert.equal((await complete(baseUrl, first.body, parts)).status, 200)
  const done = await request(20)
  assert.deepEqual(
    [done.status, done.body.upload_id, done.body.urls],
    [201, first.body.upload_id, []],
  )
})

test('only ready files can be replaced, a replacement cannot exceed the plan, and its ID is not an asset ID', async (t) => {
  const service = await aService(t, { ...SETTINGS, STOWAGE_PLAN_STORAGE: '50' })
  const { baseUrl, call } = service
  const open = await requestSession(baseUrl, { bytes: someBytes(5) })
  const link = await storeLink(service)
  const codeOf = async (id: string, size = 5) =>
    (await requestReplacement(service, id, { bytes: someBytes(size) })).body.code
  assert.equal(await codeOf(open.id), 'not_ready')
  assert.equal(await codeOf(link.id), 'not_a_file')
  assert.equal(await codeOf(service.context.newId()), 'not_found')
  assert.equal((await call('GET', `${API}/assets/${link.id}/versions`)).body.code, 'not_a_file')
  const { id } = await uploadFile(baseUrl, { bytes: someBytes(25) })
  assert.equal(await codeOf(id, 26), 'storage_exceeded')
  assert.deepEqual(await numbersOf(service, id), ['1*'])
  await startReplacement(service, id, { bytes: someBytes(5) })
  const [upload] = await Array.fromAsync(service.context.storage.listUploads())
  const rows = (await Array.fromAsync(service.context.storage.listUploads())).map(({ key }) => key)
  const row = rows.find((key) => key !== open.id) ?? upload?.key
  for (const path of ['', '/upload', '/versions', '/download', '/products']) {
    assert.equal((await call('GET', `${API}/assets/${row}${path}`)).status, 404, path)
  }
  assert.equal((await call('DELETE', `${API}/assets/${row}`)).status, 404)
  const unfinished = (await call('GET', `${API}/uploads`)).body.meta.total
  assert.equal(unfinished, 2)
  const body = { upload_id: service.context.newId() }
  assert.equal((await call('POST', `${API}/assets/${row}/cancel`, body)).status, 404)
})

test('an older version can be restored and deleted, but the current one cannot be deleted', async (t) => {
  const service = await aService(t, SETTINGS)
  const { baseUrl, call } = service
  const [first, second] = [someBytes(11, 1), someBytes(22, 2)]
  const { id } = await uploadFile(baseUrl, { bytes: first, name: 'one.txt', mime: 'text/plain' })
  await replaceFile(service, id, { bytes: second, name: 'two.png', mime: 'image/png' })
  for (let repeat = 0; repeat < 2; repeat += 1) {
    const { status, body } = await restore(service, id, 1)
    const { version, filename, bytes, mime } = body.data
    assert.deepEqual(
      [status, version, filename, bytes, mime],
      [200, 1, 'one.txt', 11, 'text/plain'],
    )
  }
  for (const version of ['0', 'one', '2147483648']) {
    const refused = await call('POST', `${API}/assets/${id}/versions/${version}/restore`)
    assert.deepEqual([refused.status, refused.body.code], [404, 'not_found'])
    assert.match(refused.body.message, /^This version does not exist\./)
  }
  assert.deepEqual(await download(baseUrl, id), first)
  assert.deepEqual(await numbersOf(service, id), ['2', '1*'])
  assert.equal((await deleteVersion(service, id, 1)).body.code, 'current_version')
  const deleted = await deleteVersion(service, id, 2)
  assert.deepEqual([deleted.status, deleted.body], [202, { deleted: true }])
  for (const version of ['2', '0', '-1', 'x', '99999999999999999999']) {
    for (const [method, path] of [
      ['DELETE', ''],
      ['POST', '/restore'],
      ['GET', '/download'],
    ] as const) {
      const response = await call(method, `${API}/assets/${id}/versions/${version}${path}`)
      assert.equal(response.body.code, 'not_found', `${method} ${version}${path}`)
    }
  }
  await runJobs(service.context)
  assert.equal((await readObjects(service)).length, 1)
  assert.equal((await replaceFile(service, id, { bytes: second })).version, 3)
  assert.equal((await call('DELETE', `${API}/assets/${id}`)).status, 202)
  assert.equal((await call('GET', `${API}/assets/${id}/versions`)).status, 404)
  await runJobs(service.context)
  assert.deepEqual(await readObjects(service), [])
  await assertUsageConsistent(service)
})

test('a replacement removes the version that was replaced first, which the list shows before and an event after', async (t) => {
  const service = await aService(t, { ...SETTINGS, STOWAGE_KEEP_VERSIONS: '2' })
  const { call } = service
  const { id } = await uploadFile(service.baseUrl, { bytes: someBytes(11, 1) })
  const replace = (seed: number) => replaceFile(service, id, { bytes: someBytes(11, seed) })
  const removedNext = async () => {
    const { data } = (await call('GET', `${API}/assets/${id}/versions`)).body
    const marked = data.filter((one: { removed_next: boolean }) => one.removed_next)
    return marked.map(({ version }: { version: number }) => version)
  }
  await replace(2)
  assert.deepEqual(await removedNext(), [])
  await replace(3)
  assert.deepEqual(await removedNext(), [1])
  // Version 1 is used again, so that version 2 is the one that was replaced first.
  await restore(service, id, 1)
  assert.deepEqual(await removedNext(), [2])
  await replace(4)
  assert.deepEqual(await numbersOf(service, id), ['4*', '3', '1'])
  const { data: events } = (await call('GET', `${API}/events?type=version.deleted`)).body
  assert.equal(events.length, 1)
  const [{ actor, data }] = events
  assert.equal(actor.type, 'anonymous')
  assert.deepEqual([data.id, data.version, data.bytes], [id, 2, 11])
  await assertUsageConsistent(service)
})

test('a signed URL returns its version for an hour after the version was replaced twice', async (t) => {
  const service = await aService(t, { ...SETTINGS, STOWAGE_KEEP_VERSIONS: '0' })
  const context = await takeOverJobs(service)
  const bytes = [1, 2, 3].map((seed) => someBytes(35, seed))
  const { id } = await uploadFile(service.baseUrl, { bytes: bytes[0] as Buffer })
  const url = await downloadUrl(service.baseUrl, id)
  await replaceFile(service, id, { bytes: bytes[1] as Buffer })
  await replaceFile(service, id, { bytes: bytes[2] as Buffer })
  assert.deepEqual(await numbersOf(service, id), ['3*'])
  await runJobs(context)
  assert.deepEqual(Buffer.from(await (await fetch(url)).arrayBuffer()), bytes[0])
  assert.equal((await readObjects(service)).length, 3)
  await JOBS.removeObjects(context)
  assert.equal((await readObjects(service)).length, 1)
  assert.notEqual((await callUrl(url)).status, 200)
  await assertUsageConsistent(service)
})

test('deleting an asset cancels its replacement', async (t) => {
  const service = await aService(t, SETTINGS)
  const { id } = await uploadFile(service.baseUrl, { bytes: someBytes(25) })
  const bytes = someBytes(30, 2)
  const session = await startReplacement(service, id, { bytes })
  const parts = await putParts(session, bytes)
  assert.equal((await service.call('DELETE', `${API}/assets/${id}`)).status, 202)
  const late = await putPart(session.urls[0]?.url ?? '', bytes.subarray(0, 10))
  assert.notEqual(late.status, 200)
  assert.equal((await complete(service.baseUrl, session, parts)).status, 404)
  await runJobs(service.context)
  assert.deepEqual(await readObjects(service), [])
  assert.deepEqual(await Array.fromAsync(service.context.storage.listUploads()), [])
  const { data } = (await service.call('GET', `${API}/account`)).body
  assert.deepEqual([data.stored, data.reserved], [0, 0])
})
