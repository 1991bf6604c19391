import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import { API, cancel, complete, putParts, someBytes } from '@stowage/testing/service/upload'

test('an Idempotency-Key that is repeated with another chunk_size is refused', async (t) => {
  const { call } = await aService(t)
  const request = (chunk_size?: number) => {
    const body = { name: 'a', size: 20_000_000, ...(chunk_size && { chunk_size }) }
    return call('POST', `${API}/assets/signed`, body, { 'Idempotency-Key': 'k' })
  }
  const first = await request(6_000_000)
  assert.equal(first.status, 201)
  for (const other of [7_000_000, undefined]) {
    const refused = await request(other)
    assert.deepEqual([refused.status, refused.body.code], [409, 'idempotency_key_reused'])
  }
  assert.equal((await request(6_000_000)).body.id, first.body.id)
})

test('a repeated Idempotency-Key returns the same session, open or completed', async (t) => {
  const { baseUrl, call } = await aService(t, { STOWAGE_CHUNK_SIZE: '10' })
  const headers = { 'Idempotency-Key': 'order-1' }
  const request = (size = 25, name = 'a.zip') =>
    call('POST', `${API}/assets/signed`, { name, size }, headers)
  const first = await request()
  const again = await request()
  assert.deepEqual(
    [again.status, again.body.id, again.body.upload_id],
    [201, first.body.id, first.body.upload_id],
  )
  assert.equal(again.body.urls.length, 3)
  const other = await request(26)
  assert.deepEqual([other.status, other.body.code], [409, 'idempotency_key_reused'])
  await putParts(again.body, someBytes(25))
  await complete(baseUrl, first.body)
  const finished = await request()
  assert.deepEqual(
    [finished.status, finished.body.id, finished.body.urls],
    [201, first.body.id, []],
  )
  assert.equal((await complete(baseUrl, finished.body)).status, 200)
})

test('the Idempotency-Key of a cancelled upload is refused', async (t) => {
  const { baseUrl, call } = await aService(t)
  const request = () =>
    call('POST', `${API}/assets/signed`, { name: 'a', size: 5 }, { 'Idempotency-Key': 'k' })
  await cancel(baseUrl, (await request()).body)
  const refused = await request()
  assert.deepEqual([refused.status, refused.body.code], [409, 'upload_ended'])
})
