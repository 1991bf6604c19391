import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ADMIN_KEY,
  aKeyedService,
  anAccount,
  callerWith,
  finishUpload,
  requestKey,
  sendUpload,
} from '@stowage/testing/service/accounts'
import { API, someBytes } from '@stowage/testing/service/upload'
import { aPage, requestToken, TOKENS } from '../../support/upload-tokens.ts'

const SIGNED = `${API}/assets/signed`

test('the response to the creation of a token has its limits, and so have the list and the token itself', async (t) => {
  const service = await aKeyedService(t)
  const { call } = await anAccount(service, { name: 'default' })
  const products = [{ product_id: 7, variant_id: 71, name: 'Presets', sku: 'PRE' }]
  await call('PUT', `${API}/products`, { products })
  const limits = {
    max_bytes: 50,
    max_files: 3,
    mime: ['image/*'],
    origin: 'https://shop.example',
    attach: { skus: ['PRE'], product_ids: [7] },
  }
  const { token, ...created } = await requestToken(call, { ...limits, expires_in: 60 })
  assert.match(token, /^stowup_/)
  const { id, created_at, expires_at, ...shown } = created
  assert.equal(Date.parse(expires_at) - Date.parse(created_at), 60_000)
  const { created_by, ...others } = shown
  assert.equal(created_by?.name, 'manage')
  assert.deepEqual(others, { ...limits, replace: null, revoked_at: null })
  const other = await requestToken(call, { max_bytes: 1 })
  const { attach, mime, origin, max_files } = other
  assert.deepEqual([attach, mime, origin, max_files], [null, null, null, 1])
  assert.deepEqual((await call('GET', `${TOKENS}/${id}`)).body, { data: created })
  const { body } = await call('GET', `${TOKENS}?limit=1&page=2`)
  assert.deepEqual([body.data, body.meta.total], [[created], 2])
  assert.doesNotMatch(JSON.stringify(body), /stowup_|hash/)
})

test('a revoked token cannot upload at once, and its uploads can be cancelled with a key', async (t) => {
  const service = await aKeyedService(t)
  const { call } = await anAccount(service, { name: 'default' })
  const page = await aPage(service, call, { max_files: 9 })
  const bytes = someBytes(5)
  const done = await sendUpload(page.call, { name: 'a', bytes })
  await finishUpload(page.call, done)
  const open = await sendUpload(page.call, { name: 'b', bytes })
  const path = `${TOKENS}/${page.token.id}`
  const revoked = await call('DELETE', path)
  assert.deepEqual([revoked.status, revoked.body], [200, { revoked: true }])
  const { id, upload_id } = open.session
  for (const refused of [
    await page.call('POST', SIGNED, { name: 'c', size: 5 }),
    await page.call('GET', `${API}/assets/${id}/upload`),
    await page.call('POST', `${API}/assets/${id}/uploaded`, { upload_id, parts: open.parts }),
    await page.call('POST', `${API}/assets/${id}/cancel`, { upload_id }),
  ]) {
    assert.deepEqual([refused.status, refused.body.code], [401, 'unauthenticated'])
    assert.match(refused.body.message, /was revoked/)
  }
  assert.deepEqual((await call('GET', TOKENS)).body.data, [])
  const { data } = (await call('GET', path)).body
  assert.ok(data.revoked_at !== null && data.expires_at <= data.revoked_at)
  assert.equal((await call('DELETE', path)).status, 200)
  assert.deepEqual((await call('GET', path)).body.data, data)
  assert.equal((await call('GET', `${API}/assets/${done.session.id}`)).body.data.status, 'ready')
  assert.equal((await call('POST', `${API}/assets/${id}/cancel`, { upload_id })).status, 200)
  const { body } = await call('GET', `${API}/events?type=token.revoked`)
  assert.deepEqual([body.data.length, body.data[0].data.id], [1, page.token.id])
})

test('a token names the key that created it, also after that key was revoked', async (t) => {
  const service = await aKeyedService(t)
  const { call } = await anAccount(service, { name: 'default' })
  const key = await requestKey(call, 'write', 'shop')
  const shop = callerWith(service.baseUrl, key.secret)
  const { id, created_by } = await requestToken(shop)
  assert.deepEqual(created_by, { id: key.id, name: 'shop' })
  await call('DELETE', `${API}/keys/${key.id}`)
  assert.deepEqual((await call('GET', `${TOKENS}/${id}`)).body.data.created_by, created_by)
  const admin = await requestToken(callerWith(service.baseUrl, ADMIN_KEY))
  assert.deepEqual(admin.created_by, { id: null, name: 'STOWAGE_ADMIN_KEY' })
})
