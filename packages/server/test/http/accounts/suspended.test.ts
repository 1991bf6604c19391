import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import {
  ADMIN_KEY,
  aKeyedService,
  anAccount,
  callerWith,
  finishUpload,
  sendUpload,
} from '@stowage/testing/service/accounts'
import { API } from '@stowage/testing/service/upload'
import {
  deleteAccount,
  renameAccount,
  resumeAccount,
  suspendAccount,
} from '../../../src/operations/account.ts'

/* Runs on sqlite+disk and postgres+disk. */

const BYTES = Buffer.from('some bytes')

test('a suspended account can be read but not changed, and an upload continues when it is resumed', async (t) => {
  const service = await aKeyedService(t)
  const { context, baseUrl } = service
  const { call, keys } = await anAccount(service, { name: 'shop' })
  const other = await anAccount(service, { name: 'other' })
  const ready = await finishUpload(call, await sendUpload(call, { name: 'a.zip', bytes: BYTES }))
  const token = await call('POST', `${API}/upload-tokens`, { max_bytes: 10 })
  const order = await call('POST', `${API}/orders`, { assets: [ready.id] })
  const archive = await call('POST', `${API}/archives`, { ids: [ready.id] })
  await suspendAccount(context, 'shop')

  const unfinished = { name: 'b.zip', size: 1 }
  const writes = [
    await call('POST', `${API}/assets/signed`, unfinished),
    await callerWith(baseUrl, token.body.token)('POST', `${API}/assets/signed`, unfinished),
    await call('DELETE', `${API}/assets/${ready.id}`),
    await call('POST', `${API}/keys`, { name: 'x', scope: 'read' }),
    await callerWith(baseUrl, keys.write.secret)('POST', `${API}/orders`, { assets: [ready.id] }),
  ]
  for (const { status, body } of writes) {
    assert.deepEqual([status, body.code], [403, 'account_suspended'])
  }
  // A key without the scope gets the same response as before.
  const forbidden = await callerWith(baseUrl, keys.read.secret)(
    'DELETE',
    `${API}/assets/${ready.id}`,
  )
  assert.equal(forbidden.body.code, 'forbidden')
  const reads = [
    await call('GET', `${API}/assets`),
    await call('GET', `${API}/keys`),
    await call('POST', `${API}/archives`, { ids: [ready.id] }),
    await call('POST', `${API}/session`, {}),
  ]
  assert.deepEqual(
    reads.map(({ status }) => status),
    [200, 200, archive.status, 201],
  )
  assert.equal((await call('GET', `${API}/assets/${ready.id}/download`)).status, 302)
  const page = await fetch(order.body.data.url)
  assert.equal(page.status, 200)
  await page.text()
  assert.equal((await other.call('POST', `${API}/assets/signed`, unfinished)).status, 201)

  await resumeAccount(context, 'shop')
  await finishUpload(call, await sendUpload(call, { name: 'c.zip', bytes: BYTES }))
})

test('parts of an upload arrive while its account is suspended, and it is completed afterward', async (t) => {
  const service = await aKeyedService(t)
  const { call } = await anAccount(service, { name: 'shop' })
  const before = await sendUpload(call, { name: 'a.zip', bytes: BYTES })
  await suspendAccount(service.context, 'shop')
  const { id, upload_id } = before.session
  const refused = await call('POST', `${API}/assets/${id}/uploaded`, { upload_id })
  assert.deepEqual([refused.status, refused.body.code], [403, 'account_suspended'])
  assert.equal((await call('GET', `${API}/assets/${id}/upload`)).body.status, 'uploading')
  await resumeAccount(service.context, 'shop')
  assert.equal((await finishUpload(call, before)).status, 'ready')
})

test('the account of the admin key can be suspended, but neither renamed nor deleted', async (t) => {
  const { context, baseUrl } = await aKeyedService(t)
  const admin = callerWith(baseUrl, ADMIN_KEY)
  const create = () => admin('POST', `${API}/keys`, { name: 'x', scope: 'read' })
  assert.equal((await create()).status, 201)
  await suspendAccount(context, 'default')
  await until('the instance knows', async () => (await create()).body.code === 'account_suspended')
  assert.equal((await admin('GET', `${API}/keys`)).status, 200)
  await resumeAccount(context, 'default')
  await until('the instance knows', async () => (await create()).status === 201)
  await assert.rejects(renameAccount(context, 'default', 'shop'), /cannot be renamed/)
  await assert.rejects(deleteAccount(context, 'default', { afterMs: 0 }), /cannot be deleted/)
})

test('a renamed account keeps its keys, and a name that is taken is refused', async (t) => {
  const service = await aKeyedService(t)
  const { context } = service
  const { call } = await anAccount(service, { name: 'shop' })
  await anAccount(service, { name: 'other' })
  await assert.rejects(renameAccount(context, 'shop', 'other'), /already exists/)
  await assert.rejects(renameAccount(context, 'shop', 'Not Valid'), /Invalid account name/)
  await renameAccount(context, 'shop', 'presets')
  assert.equal((await call('GET', `${API}/account`)).body.data.name, 'presets')
})

test('every call of a deleted account is refused until it is restored, and its buyers still download', async (t) => {
  const service = await aKeyedService(t)
  const { context } = service
  const { call } = await anAccount(service, { name: 'shop' })
  const ready = await finishUpload(call, await sendUpload(call, { name: 'a.zip', bytes: BYTES }))
  const order = await call('POST', `${API}/orders`, { assets: [ready.id] })
  await deleteAccount(context, 'shop', { afterMs: 60_000 })
  for (const [method, path] of [
    ['GET', `${API}/assets`],
    ['POST', `${API}/assets/signed`],
    ['POST', `${API}/session`],
  ] as const) {
    const refused = await call(method, path, method === 'GET' ? undefined : {})
    assert.deepEqual([refused.status, refused.body.code], [403, 'account_deleted'])
  }
  const page = await fetch(order.body.data.url)
  assert.equal(page.status, 200)
  await page.text()
  await resumeAccount(context, 'shop')
  assert.equal((await call('GET', `${API}/assets`)).body.meta.total, 1)
})
