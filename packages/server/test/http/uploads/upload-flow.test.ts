import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PartUrl } from '@stowage/protocol'
import { makeStorageUnavailable, uploadInStorage } from '@stowage/testing/engines/test-engines'
import { until } from '@stowage/testing/machine/until'
import { aService } from '@stowage/testing/service/service'
import {
  API,
  cancel,
  complete,
  download,
  putPart,
  putParts,
  requestSession,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'

/* Runs on sqlite+disk and postgres+ceph. */

test('a client can choose the part size with chunk_size', async (t) => {
  const { baseUrl, call } = await aService(t, { STOWAGE_CHUNK_SIZE: '6MiB' })
  const bytes = someBytes(11_000_000)
  const request = { name: 'film.mov', size: bytes.length, mime: 'video/quicktime' }
  const requestWith = (chunk_size: unknown) =>
    call('POST', `${API}/assets/signed`, { ...request, chunk_size })
  const { body: session } = await requestWith(5_242_880)
  assert.equal(session.chunk_size, 5_242_880)
  assert.deepEqual(
    session.urls.map(({ start, end }: PartUrl) => [start, end]),
    [
      [0, 5_242_880],
      [5_242_880, 10_485_760],
      [10_485_760, 11_000_000],
    ],
  )
  const resumed = await call('GET', `${API}/assets/${session.id}/upload`)
  assert.equal(resumed.body.chunk_size, 5_242_880)
  const { status } = await complete(baseUrl, session, await putParts(session, bytes))
  assert.equal(status, 200)
  assert.ok((await download(baseUrl, session.id)).equals(bytes))
  for (const wrong of [5_242_879, 5_368_709_121, 6e6 + 0.5, '6000000']) {
    const refused = await requestWith(wrong)
    assert.deepEqual([refused.status, Object.keys(refused.body.errors)], [422, ['chunk_size']])
  }
})

test('a file is uploaded in parts, listed once it is ready, and downloaded as a whole', async (t) => {
  const { baseUrl, call } = await aService(t, { STOWAGE_CHUNK_SIZE: '1kB' })
  const bytes = someBytes(2500)
  const session = await requestSession(baseUrl, {
    name: 'pack.zip',
    bytes,
    mime: 'application/zip',
  })
  const uploading = await call('GET', `${API}/assets/${session.id}`)
  assert.equal(uploading.body.data.status, 'uploading')
  assert.equal((await call('GET', `${API}/assets`)).body.meta.total, 0)
  for (const path of ['download', 'address']) {
    const early = await call('GET', `${API}/assets/${session.id}/${path}`)
    assert.deepEqual([early.status, early.body.code], [409, 'not_ready'])
  }

  const parts = await putParts(session, bytes)
  const done = await complete(baseUrl, session, parts)
  const { created_at, updated_at, ...asset } = done.body.data
  assert.deepEqual(asset, {
    id: session.id,
    filename: 'pack.zip',
    size: '2.5 kB',
    is_file: true,
    is_link: false,
    url: null,
    status: 'ready',
    bytes: 2500,
    mime: 'application/zip',
    version: 1,
    path: null,
    tags: [],
    inline: false,
    checksum: null,
    damaged: false,
  })
  assert.equal(updated_at, created_at)
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
  assert.deepEqual((await call('GET', `${API}/assets/${session.id}`)).body, done.body)
  assert.deepEqual((await call('GET', `${API}/assets`)).body.data, [done.body.data])
  assert.deepEqual(await download(baseUrl, session.id), bytes)
})

test('GET /address returns the download URL to clients that cannot follow redirects', async (t) => {
  const { baseUrl, storageUrl, call } = await aService(t)
  const bytes = someBytes(100)
  const { id } = await uploadFile(baseUrl, { bytes })
  const { status, headers, body } = await call('GET', `${API}/assets/${id}/address`)
  assert.equal(status, 200)
  assert.equal(headers.get('cache-control'), 'no-store')
  const { url, expires_at } = body.data
  assert.ok(url.startsWith(`${storageUrl}/`))
  const minutes = (Date.parse(expires_at) - Date.now()) / 60_000
  assert.ok(minutes > 59 && minutes <= 60)
  const part = await fetch(url, { headers: { Range: 'bytes=10-19' } })
  assert.equal(part.status, 206)
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(10, 20))
})

test('POST and PUT both complete an upload, and repeating either returns the same response', async (t) => {
  const { baseUrl } = await aService(t, { STOWAGE_CHUNK_SIZE: '10' })
  for (const method of ['POST', 'PUT']) {
    const session = await requestSession(baseUrl, { bytes: someBytes(25) })
    const parts = await putParts(session, someBytes(25))
    const first = await complete(baseUrl, session, parts, method)
    assert.equal(first.status, 200)
    assert.deepEqual((await complete(baseUrl, session, parts, 'POST')).body, first.body)
    assert.deepEqual((await complete(baseUrl, session, [], 'PUT')).body, first.body)
  }
})

test('an upload can be completed with only some of its parts listed, as by browsers that cannot read ETags', async (t) => {
  const { baseUrl } = await aService(t, { STOWAGE_CHUNK_SIZE: '10' })
  const session = await requestSession(baseUrl, { bytes: someBytes(25) })
  const parts = await putParts(session, someBytes(25))
  const partial = parts
    .slice(0, 1)
    .map(({ PartNumber, ETag }) => ({ PartNumber, ETag: `"${ETag}"` }))
  assert.equal((await complete(baseUrl, session, partial)).status, 200)
})

test('a completion with missing parts is refused, and the upload can be continued', async (t) => {
  const { baseUrl } = await aService(t, { STOWAGE_CHUNK_SIZE: '10' })
  const bytes = someBytes(25)
  const session = await requestSession(baseUrl, { bytes })
  await putPart(session.urls[0]?.url ?? '', bytes.subarray(0, 10))
  const refused = await complete(baseUrl, session)
  assert.deepEqual([refused.status, refused.body.code], [422, 'invalid'])
  assert.match(refused.body.errors.parts[0], /^2, 3 not received/)
  await putParts(session, bytes)
  assert.equal((await complete(baseUrl, session)).status, 200)
})

test('resuming an upload signs only the missing parts', async (t) => {
  const { baseUrl, call } = await aService(t, { STOWAGE_CHUNK_SIZE: '10' })
  const bytes = someBytes(25)
  const session = await requestSession(baseUrl, { bytes })
  const second = await putPart(session.urls[1]?.url ?? '', bytes.subarray(10, 20))
  const { body, status } = await call('GET', `${API}/assets/${session.id}/upload`)
  assert.equal(status, 200)
  assert.equal(body.status, 'uploading')
  assert.equal(body.upload_id, session.upload_id)
  assert.deepEqual(body.received, [
    { PartNumber: 2, ETag: second.headers.get('etag')?.replaceAll('"', ''), size: 10 },
  ])
  assert.deepEqual(
    body.urls.map(({ part }: { part: number }) => part),
    [1, 3],
  )
  assert.equal(body.expires_at, body.urls_expire_at)
  // The upload outlives its URLs, and resuming has extended its expiry.
  assert.ok(body.upload_expires_at > body.urls_expire_at)
  assert.ok(body.upload_expires_at >= (session.upload_expires_at ?? ''))
  const listed = await call('GET', `${API}/uploads`)
  assert.equal(listed.body.data[0].upload_expires_at, body.upload_expires_at)
  await putParts(body, bytes)
  assert.equal((await complete(baseUrl, session)).status, 200)
  const after = await call('GET', `${API}/assets/${session.id}/upload`)
  const { status: state, urls, urls_expire_at, upload_expires_at, expires_at } = after.body
  assert.deepEqual([state, urls], ['ready', []])
  assert.deepEqual([urls_expire_at, upload_expires_at, expires_at], [null, null, null])
  assert.deepEqual(await download(baseUrl, session.id), bytes)
})

test('resuming an upload that the storage lost reopens it', async (t) => {
  const service = await aService(t, { STOWAGE_CHUNK_SIZE: '10' })
  const { baseUrl, call, context } = service
  const bytes = someBytes(25)
  const session = await requestSession(baseUrl, { bytes })
  await putParts(session, bytes)
  await context.storage.abortUpload(await uploadInStorage(service, session))
  assert.equal((await complete(baseUrl, session)).status, 422)
  const { body } = await call('GET', `${API}/assets/${session.id}/upload`)
  assert.deepEqual([body.urls.length, body.received], [3, []])
  await putParts(body, bytes)
  assert.equal((await complete(baseUrl, session)).status, 200)
})

test('cancelling removes the parts and releases the bytes, and repeating it returns the same response', async (t) => {
  const { baseUrl, call, context } = await aService(t, { STOWAGE_CHUNK_SIZE: '10' })
  const session = await requestSession(baseUrl, { bytes: someBytes(25) })
  await putParts(session, someBytes(25))
  const cancelled = await cancel(baseUrl, session)
  assert.equal(cancelled.status, 200)
  assert.deepEqual(cancelled.body, {
    data: { id: session.id, upload_id: session.upload_id, status: 'cancelled' },
  })
  assert.deepEqual((await cancel(baseUrl, session)).body, cancelled.body)
  for (const path of ['', '/upload', '/download', '/address']) {
    assert.equal((await call('GET', `${API}/assets/${session.id}${path}`)).status, 404)
  }
  assert.equal((await complete(baseUrl, session)).status, 404)
  assert.equal((await putPart(session.urls[0]?.url ?? '', someBytes(10))).status, 404)
  const [usage] = await context.database.compareUsage()
  assert.equal(usage?.counted.reserved, 0)
  assert.deepEqual(await Array.fromAsync(context.storage.listUploads()), [])
})

test('/healthz and /readyz respond, and /readyz reports which engine fails', async (t) => {
  const service = await aService(t)
  const { call } = service
  assert.deepEqual((await call('GET', '/healthz')).body, { status: 'ok' })
  assert.equal((await call('GET', '/readyz')).status, 200)
  const restoreStorage = await makeStorageUnavailable(service)
  await until('the service is not ready', async () => (await call('GET', '/readyz')).status === 503)
  const { status, body, headers } = await call('GET', '/readyz')
  assert.deepEqual(
    [status, body],
    [503, { status: 'unavailable', checks: { database: 'ok', storage: 'unavailable' } }],
  )
  assert.ok(headers.get('retry-after'))
  await restoreStorage()
  await until('the service is ready', async () => (await call('GET', '/readyz')).status === 200)
})
