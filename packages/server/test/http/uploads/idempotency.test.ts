import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import { API, cancel, complete, putParts, someBytes } from '@stowage/testing/service/upload'

test('an Idempotency-Key that is repeated with another chunk_size is refused', async (t) => {
  const { call } = await aService(t)
  const ask = (chunk_size?: number) => {
    const body = { name: 'a', size: 20_000_000, ...(chunk_size && { chunk_size }) }
    return call('POST', `${API}/assets/signed`, body, { 'Idempotency-Key': 'k' })
  }
  const first = await ask(6_000_000)
  assert.equal(first.status, 201)
  for (const other of [7_000_000, undefined]) {
    const refused = await ask(other)
    assert.deepEqual([refused.status, refused.body.code], [409, 'idempotency_key_reused'])
  }
  assert.equal((await ask(6_000_000)).body.id, first.body.id)
})

test('an Idempotency-Key gives the same session again, whatever became of it', async (t) => {
  const { baseUrl, call } = await aService(t, { STOWAGE_CHUNK_SIZE: '10' })
  const headers = { 'Idempotency-Key': 'order-1' }
  const ask = (size = 25, name = 'a.zip') =>
    call('POST', `${API}/assets/signed`, { name, size }, headers)
  const first = await ask()
  const again = await ask()
  assert.deepEqual(
    [again.status, again.body.id, again.body.upload_id],
    [201, first.body.id, first.body.upload_id],
  )
  assert.equal(again.body.urls.length, 3)
  const other = await ask(26)
  assert.deepEqual([other.status, other.body.code], [409, 'idempotency_key_reused'])
  await putParts(again.body, someBytes(25))
  await complete(baseUrl, first.body)
  const finished = await ask()
  assert.deepEqual(
    [finished.status, finished.body.id, finished.body.urls],
    [201, first.body.id, []],
  )
  assert.equal((await complete(baseUrl, finished.body)).status, 200)
})

test('an Idempotency-Key of a cancelled upload asks for a new key', async (t) => {
  const { baseUrl, call } = await aService(t)
  const ask = () =>
    call('POST', `${API}/assets/signed`, { name: 'a', size: 5 }, { 'Idempotency-Key': 'k' })
  await cancel(baseUrl, (await ask()).body)
  const refused = await ask()
  assert.deepEqual([refused.status, refused.body.code], [409, 'upload_ended'])
})
