import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService, type TestService } from '@stowage/testing/service/service'
import {
  API,
  cancel,
  complete,
  putParts,
  requestSession,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('a file that would need parts larger than 5 GiB is refused when the upload is requested', async (t) => {
  const { call } = await aService(t, { STOWAGE_PLAN_STORAGE: '9000TB' })
  const limit = 10_000 * 5 * 1024 ** 3
  const refused = await call('POST', `${API}/assets/signed`, { name: 'a', size: limit + 1 })
  assert.deepEqual([refused.status, Object.keys(refused.body.errors)], [422, ['size']])
  assert.match(refused.body.errors.size[0], new RegExp(`at most ${limit} bytes`))
})

test('a session has the documented fields, and its parts cover the file', async (t) => {
  const { baseUrl, storageUrl } = await aService(t, { STOWAGE_CHUNK_SIZE: '100' })
  const session = await requestSession(baseUrl, { bytes: someBytes(250) })
  assert.deepEqual(Object.keys(session).sort(), [
    'asset',
    'chunk_size',
    'expires_at',
    'file_url',
    'id',
    'upload_expires_at',
    'upload_id',
    'urls',
    'urls_expire_at',
  ])
  assert.match(session.id, UUID_V7)
  assert.match(session.upload_id, UUID_V7)
  assert.equal(session.chunk_size, 100)
  assert.equal(session.file_url, `${baseUrl}/assets/${session.id}`)
  assert.deepEqual(
    session.urls.map(({ start, end, part }) => [start, end, part]),
    [
      [0, 100, 1],
      [100, 200, 2],
      [200, 250, 3],
    ],
  )
  for (const { url } of session.urls) assert.ok(url.startsWith(`${storageUrl}/`))
  const hoursUntil = (time: string | null) => (Date.parse(time ?? '') - Date.now()) / 3_600_000
  const hours = hoursUntil(session.urls_expire_at)
  assert.ok(hours > 11.9 && hours <= 12)
  assert.equal(session.expires_at, session.urls_expire_at)
  const days = hoursUntil(session.upload_expires_at) / 24
  assert.ok(days > 6.9 && days <= 7.01)
})

test('max_chunk_size makes parts smaller than the default, and never larger', async (t) => {
  const plan = { STOWAGE_PLAN_STORAGE: '1PB' }
  const withDefault = await aService(t, plan)
  const withSetting = await aService(t, { ...plan, STOWAGE_CHUNK_SIZE: '8MB' })
  const chunkSizeOf = async ({ call }: TestService, request: object) => {
    const body = { name: 'course.mp4', size: 40_000_000, ...request }
    const { status, body: session } = await call('POST', `${API}/assets/signed`, body)
    assert.equal(status, 201, JSON.stringify(session))
    return session.chunk_size
  }
  const max_chunk_size = 16_000_000
  assert.equal(await chunkSizeOf(withDefault, {}), 100_000_000)
  assert.equal(await chunkSizeOf(withDefault, { max_chunk_size }), 16_000_000)
  assert.equal(await chunkSizeOf(withSetting, { max_chunk_size }), 8_000_000)
  const chunk_size = 32_000_000
  assert.equal(await chunkSizeOf(withSetting, { max_chunk_size, chunk_size }), chunk_size)
})

test('a completed upload can no longer be cancelled', async (t) => {
  const { baseUrl } = await aService(t)
  const session = await requestSession(baseUrl, { bytes: someBytes(5) })
  await putParts(session, someBytes(5))
  await complete(baseUrl, session)
  const refused = await cancel(baseUrl, session)
  assert.deepEqual([refused.status, refused.body.code], [409, 'already_uploaded'])
})

test('requesting an upload that exceeds the plan returns 402 with the numbers and reserves nothing', async (t) => {
  const { baseUrl, call } = await aService(t, { STOWAGE_PLAN_STORAGE: '100' })
  await uploadFile(baseUrl, { bytes: someBytes(30) })
  await requestSession(baseUrl, { bytes: someBytes(20) })
  const { status, body } = await call('POST', `${API}/assets/signed`, { name: 'a', size: 51 })
  assert.equal(status, 402)
  const { message, ...facts } = body
  assert.match(message, /Delete files or upgrade the plan/)
  assert.deepEqual(facts, {
    code: 'storage_exceeded',
    needed: 51,
    available: 50,
    limit: 100,
    stored: 30,
    reserved: 20,
  })
  assert.equal((await call('POST', `${API}/assets/signed`, { name: 'a', size: 50 })).status, 201)
})
