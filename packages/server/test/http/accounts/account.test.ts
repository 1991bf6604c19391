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

/* Runs on sqlite+disk and postgres+disk. */

test('the usage of an account changes immediately with uploads, links, cancellations and deletions', async (t) => {
  const service = await aKeyedService(t)
  const { call } = await anAccount(service, { name: 'shop', plan: 'small', storage: 1000 })
  const assertNumbers = async (stored: number, reserved: number, assets: number, trash = 0) => {
    const { body } = await call('GET', `${API}/account`)
    const plan = { name: 'small', storage: 1000, assets: null }
    const available = 1000 - stored - reserved
    const numbers = { stored, reserved, trash, available, assets }
    const settings = {
      scope: 'manage',
      trash_for: 30 * 24 * 3600,
      keep_versions: 5,
      checksums: false,
    }
    assert.deepEqual(body.data, { name: 'shop', plan, ...numbers, ...settings })
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
  await assertNumbers(0, 0, 1, 300)
  await call('DELETE', `${API}/assets/${stored.body.data.id}`)
  await assertNumbers(0, 0, 0, 300)
})

test('the account returns the scope of the caller, with each kind of key and without keys', async (t) => {
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

test('usage by type changes with uploads, links and deletions, and is separate for each account', async (t) => {
  const service = await aKeyedService(t)
  const { call } = await anAccount(service, { name: 'shop', storage: 1000 })
  const { call: other } = await anAccount(service, { name: 'other', storage: 1000 })
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
  assert.deepEqual((await other('GET', `${API}/account/usage`)).body.data.types, [])
  await call('DELETE', `${API}/assets/${archive.session.id}`)
  assert.deepEqual(await usage(), [{ type: 'link', bytes: 0, assets: 1 }])
})

test('a changed plan applies immediately, and a plan below the stored bytes only stops uploads', async (t) => {
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
    [{ name: 'tiny', storage: 10, assets: null }, 80, 21, 0],
  )
  assert.equal((await request(1)).status, 402)
  const download = await call('GET', `${API}/assets/${sent.session.id}/download`)
  assert.equal(download.status, 302)
  assert.equal((await call('DELETE', `${API}/assets/${sent.session.id}`)).status, 202)
})

test('a plan limits the number of assets, and says how many it allows', async (t) => {
  const service = await aKeyedService(t)
  const { call, id } = await anAccount(service, { name: 'shop', storage: 1000 })
  const { call: other } = await anAccount(service, { name: 'other', storage: 1000 })
  const sent = await sendUpload(call, { name: 'a.zip', bytes: someBytes(80) })
  const { id: asset } = await finishUpload(call, sent)
  const plan = { name: 'few', storage: 1000, assets: 2 }
  await service.context.database.changePlan(id, plan)
  assert.deepEqual((await call('GET', `${API}/account`)).body.data.plan, plan)
  const request = () => call('POST', `${API}/assets/signed`, { name: 'b', size: 1 })
  const results = await Promise.all([request(), request(), request()])
  assert.deepEqual(results.map(({ status }) => status).toSorted(), [201, 402, 402])
  const refused = results.find(({ status }) => status === 402)
  assert.partialDeepStrictEqual(refused?.body, {
    code: 'assets_exceeded',
    ...{ needed: 1, available: 0, limit: 2 },
  })
  const link = { filename: 'c.zip', url: 'https://example.com/c.zip' }
  assert.equal((await call('POST', `${API}/assets/store`, link)).body.code, 'assets_exceeded')
  assert.equal((await other('POST', `${API}/assets/store`, link)).status, 201)
  const version = await call('POST', `${API}/assets/${asset}/signed`, { size: 1 })
  assert.equal(version.status, 201)
  await call('DELETE', `${API}/assets/${asset}`)
  assert.equal((await call('POST', `${API}/assets/store`, link)).status, 201)
  for (const [path, body] of [
    [`/assets/${asset}/restore`, undefined],
    ['/assets/bulk', { action: 'restore', ids: [asset] }],
  ] as const) {
    const restored = await call('POST', `${API}${path}`, body)
    assert.deepEqual([restored.status, restored.body.code], [402, 'assets_exceeded'])
  }
})
