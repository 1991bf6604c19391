import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import {
  API,
  complete,
  download,
  putPart,
  putParts,
  requestSession,
  someBytes,
} from '@stowage/testing/service/upload'

test('a session of one part has the URL of that part as upload_url, and describes the asset', async (t) => {
  const { baseUrl } = await aService(t, { STOWAGE_CHUNK_SIZE: '100' })
  const bytes = someBytes(100)
  const session = await requestSession(baseUrl, { name: 'pack.zip', bytes })
  assert.deepEqual(session.asset, { id: session.id, filename: 'pack.zip', size: '100 B' })
  assert.equal(session.upload_url, session.urls[0]?.url)
  await putPart(session.upload_url ?? '', bytes)
  assert.equal((await complete(baseUrl, session)).status, 200)
  assert.deepEqual(await download(baseUrl, session.id), bytes)

  const empty = await requestSession(baseUrl, { bytes: Buffer.alloc(0) })
  assert.equal(empty.upload_url, empty.urls[0]?.url)
  assert.equal((await requestSession(baseUrl, { bytes: someBytes(101) })).upload_url, undefined)
})

test('an upload can be completed without a body', async (t) => {
  const { baseUrl } = await aService(t, { STOWAGE_CHUNK_SIZE: '100' })
  const bytes = someBytes(250)
  const json = { 'Content-Type': 'application/json' }
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  for (const options of [
    { method: 'POST' },
    { method: 'PUT' },
    { method: 'POST', headers: json },
    { method: 'PUT', headers: json, body: '' },
    { method: 'POST', headers: json, body: '{}' },
    { method: 'POST', headers: form, body: '' },
  ]) {
    const session = await requestSession(baseUrl, { bytes })
    const url = `${baseUrl}${API}/assets/${session.id}/uploaded`
    const early = await fetch(url, options)
    assert.equal(early.status, 422)
    assert.deepEqual((await early.json()).errors, {
      parts: ['1, 2, 3 not received: send them before completing'],
    })
    await putParts(session, bytes)
    for (const _ of ['completed', 'repeated']) {
      const response = await fetch(url, options)
      assert.equal(response.status, 200, await response.clone().text())
      assert.equal((await response.json()).data.id, session.id)
    }
    assert.deepEqual(await download(baseUrl, session.id), bytes)
  }
})

test('a completion with an invalid body is refused', async (t) => {
  const { baseUrl } = await aService(t)
  const bytes = someBytes(10)
  const session = await requestSession(baseUrl, { bytes })
  await putParts(session, bytes)
  const url = `${baseUrl}${API}/assets/${session.id}/uploaded`
  const headers = { 'Content-Type': 'application/json' }
  for (const [body, status] of [
    ['null', 422],
    ['[]', 422],
    [' ', 400],
    ['{"upload_id":null}', 422],
  ] as const) {
    assert.equal((await fetch(url, { method: 'POST', headers, body })).status, status, body)
  }
})

test('a link can be stored with the type "link", and no other', async (t) => {
  const { call } = await aService(t)
  const link = { filename: 'course', url: 'https://example.com/course' }
  const stored = await call('POST', `${API}/assets/store`, { ...link, type: 'link' })
  assert.deepEqual([stored.status, stored.body.data.is_link], [201, true])
  const refused = await call('POST', `${API}/assets/store`, { ...link, type: 'file' })
  assert.deepEqual(
    [refused.status, refused.body.errors],
    [422, { type: ['must be link, or omitted'] }],
  )
})
