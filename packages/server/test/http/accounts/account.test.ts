import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ADMIN_KEY,
  aKeyedService,
  anAccount,
  callerWith,
  finishUpload,
  sendUpload,
} from '@stowage/testing/service/accounts'
import { aService } from '@stowage/testing/service/service'
import { API, someBytes } from '@stowage/testing/service/upload'

test('the account’s numbers follow uploads, links, cancels and deletions at once', async (t) => {
  const service = await aKeyedService(t)
  const { call } = await anAccount(service, { name: 'shop', plan: 'small', storage: 1000 })
  const assertNumbers = async (stored: number, reserved: number, assets: number) => {
    const { body } = await call('GET', `${API}/account`)
    const plan = { name: 'small', storage: 1000 }
    const available = 1000 - stored - reserved
    const numbers = { stored, reserved, available, assets }
    assert.deepEqual(body.data, { name: 'shop', plan, ...numbers, scope: 'manage' })
    for (const { counted, actual } of await service.context.database.compareUsage()) {
      assert.deepEqual(counted, actual)
    }
  }
  await assertNumbers(0, 0, 0)
  const first = await sendUpload(call, { name: 'a.zip', bytes: someBytes(300) })
  await assertNumbers(0, 300, 0)
  const second = await sendUpload(call, { name: 'b.zip', bytes: someBytes(400) })
  await assertNumbers(0, 700, 0)
  await finishUpload(call, first)
  await assertNumbers(300, 400, 1)
  await finishUpload(call, first)
  await assertNumbers(300, 400, 1)
  const { upload_id } = second.session
  await call('POST', `${API}/assets/${second.session.id}/cancel`, { upload_id })
  await assertNumbers(300, 0, 1)
  const link = { filename: 'c.zip', url: 'https://example.com/c.zip', size: '5GB' }
  const stored = await call('POST', `${API}/assets/store`, link)
  await assertNumbers(300, 0, 2)
  await call('PUT', `${API}/assets/${stored.body.data.id}`, { size: '1TB' })
  await assertNumbers(300, 0, 2)
  await call('DELETE', `${API}/assets/${first.session.id}`)
  await assertNumbers(0, 0, 1)
  await call('DELETE', `${API}/assets/${stored.body.data.id}`)
  await assertNumbers(0, 0, 0)
})

test('the account says what the caller may do, with each key and without any', async (t) => {
  const service = await aKeyedService(t)
  const { keys } = await anAccount(service, { name: 'shop' })
  const secrets = [keys.read.secret, keys.write.secret, keys.manage.secret, ADMIN_KEY]
  const scopes = []
  for (const secret of secrets) {
    const { body } = await callerWith(service.baseUrl, secret)('GET', `${API}/account`)
    scopes.push(body.data.scope)
  }
  assert.deepEqual(scopes, ['read', 'write', 'manage', 'manage'])
  const open = await aService(t)
  assert.equal((await open.call('GET', `${API}/account`)).body.data.scope, 'manage')
})

test('usage by type follows uploads, links and deletions, and adds up to the account’s', async (t) => {
  const service = await aKeyedService(t)
  const { call } = await anAccount(service, { name: 'shop', storage: 1000 })
  const { call: stranger } = await anAccount(service, { name: 'other', storage: 1000 })
  const usage = async () => (await call('GET', `${API}/account/usage`)).body.data.types
  assert.deepEqual(await usage(), [])
  const archive = await sendUpload(call, { name: 'a.zip', bytes: someBytes(300) })
  assert.deepEqual(await usage(), [])
  await finishUpload(call, archive)
  const link = { filename: 'c.zip', url: 'https://example.com/c.zip', size: '5GB' }
  await call('POST', `${API}/assets/store`, link)
  assert.deepEqual(await usage(), [
    { type: 'archive', bytes: 300, assets: 1 },
    { type: 'link', bytes: 0, assets: 1 },
  ])
  assert.deepEqual((await stranger('GET', `${API}/account/usage`)).body.data.types, [])
  await call('DELETE', `${API}/assets/${archive.session.id}`)
  assert.deepEqual(await usage(), [{ type: 'link', bytes: 0, assets: 1 }])
})

test('a plan counts as soon as it is changed, and one below what is stored only stops uploads', async (t) => {
  const service = await aKeyedService(t)
  const { call, id } = await anAccount(service, { name: 'shop', storage: 100 })
  const sent = await sendUpload(call, { name: 'a.zip', bytes: someBytes(80) })
  await finishUpload(call, sent)
  const request = (size: number) => call('POST', `${API}/assets/signed`, { name: 'b', size })
  assert.equal((await request(21)).status, 402)
  await service.context.database.changePlan(id, { name: 'large', storage: 101 })
  assert.equal((await request(21)).status, 201)
  await service.context.database.changePlan(id, { name: 'tiny', storage: 10 })
  const { data } = (await call('GET', `${API}/account`)).body
  assert.deepEqual(
    [data.plan, data.stored, data.reserved, data.available],
    [{ name: 'tiny', storage: 10 }, 80, 21, 0],
  )
  assert.equal((await request(1)).status, 402)
  const download = await call('GET', `${API}/assets/${sent.session.id}/download`)
  assert.equal(download.status, 302)
  assert.equal((await call('DELETE', `${API}/assets/${sent.session.id}`)).status, 202)
})
