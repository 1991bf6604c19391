import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { aKeyedService, type Call, sendUpload } from '@stowage/testing/service/accounts'
import type { TestService } from '@stowage/testing/service/service'
import { API, someBytes } from '@stowage/testing/service/upload'
import { readAccountState } from '../../support/account-state.ts'
import {
  aSimilarAccount,
  checkingForLeaks,
  listPaths,
  ownPaths,
  type SimilarAccount,
} from '../../support/similar-accounts.ts'

/* Runs on sqlite+disk and postgres+disk. */

interface TwoAccounts {
  service: TestService
  north: SimilarAccount
  south: SimilarAccount
}

/** Two similar accounts. Every response to one of them is checked for private values of the other. */
async function twoAccounts(t: TestContext): Promise<TwoAccounts> {
  const service = await aKeyedService(t, { STOWAGE_CHUNK_SIZE: '10' })
  const north = await aSimilarAccount(service, { name: 'north', size: 25 })
  const south = await aSimilarAccount(service, { name: 'south', size: 38 })
  return {
    service,
    north: { ...north, call: checkingForLeaks(north.call, south.privateValues) },
    south: { ...south, call: checkingForLeaks(south.call, north.privateValues) },
  }
}

/** The responses to all of these requests, by path. */
async function readAll(call: Call, paths: string[]) {
  const responses: Record<string, unknown> = {}
  for (const path of paths) {
    const response = await call('GET', path)
    const { status, headers } = response
    assert.ok(status < 500, response.text)
    // Reading the state of an upload extends its expiry, which depends on the database's clock.
    const text = response.text.replaceAll(/"\w*expires?_at":"[^"]*"/g, '')
    // Signatures differ from one request to the next.
    const location = headers.get('location')?.split('?')[0]
    responses[path] = { status, text, location }
  }
  return responses
}

test('changes in one account never change what another account reads', async (t) => {
  const service = await aKeyedService(t, { STOWAGE_CHUNK_SIZE: '10' })
  const now = new Date()
  service.context.clock = () => now
  const north = await aSimilarAccount(service, { name: 'north', size: 25 })
  const paths = [...listPaths(), ...ownPaths(north)]
  const before = await readAll(north.call, paths)

  const south = await aSimilarAccount(service, { name: 'south', size: 38 })
  assert.deepEqual(await readAll(north.call, paths), before)

  const { call, file, unattached, open, linkId, products, keys } = south
  const renamed = { filename: 'else.zip', url: 'https://else.example', size: 1 }
  const product = { product_id: 77, variant_id: 771, name: 'Else', sku: 'ELSE', tags: ['else'] }
  const changes: [string, string, object?][] = [
    ['PUT', `/assets/${linkId}`, renamed],
    ['PUT', `/assets/${file.id}`, { filename: 'else.zip' }],
    ['PUT', '/products', { products: [product] }],
    ['POST', `/assets/${unattached.id}/attach`, { product_ids: [77, 78] }],
    ['POST', `/assets/${file.id}/detach`, { product_ids: [77] }],
    ['POST', `/assets/${open.id}/cancel`, { upload_id: open.upload_id }],
    ['DELETE', `/products/${products[2]?.id}`],
    ['DELETE', `/assets/${unattached.id}`],
    ['DELETE', `/assets/${file.id}`],
    ['DELETE', `/assets/${linkId}`],
    ['POST', '/keys', { name: 'else', scope: 'manage' }],
    ['DELETE', `/keys/${keys.read.id}`],
    ['DELETE', `/keys/${keys.manage.id}`],
  ]
  for (const [method, path, body] of changes) {
    const response = await call(method, API + path, body)
    assert.ok(response.status < 300, `${method} ${path}: ${response.text}`)
  }
  await service.context.database.changePlan(south.id, { name: 'else', storage: 1 })
  assert.deepEqual(await readAll(north.call, paths), before)
})

test('accounts with the same filenames and shop IDs list and count only their own data, with every filter', async (t) => {
  const { north, south } = await twoAccounts(t)
  const totals: Record<string, number[]> = {}
  for (const { call } of [north, south]) {
    for (const path of listPaths()) {
      const { body, text } = await call('GET', path)
      assert.equal(body.data.length, path.includes('page=2') ? 1 : body.meta.total, text)
      totals[path] = [...(totals[path] ?? []), body.meta.total]
    }
  }
  for (const [path, [ofNorth, ofSouth]] of Object.entries(totals)) {
    assert.equal(ofNorth, ofSouth, path)
  }
  assert.ok(Object.values(totals).filter(([total = 0]) => total > 0).length > 30)
  for (const account of [north, south]) {
    const all = await account.call('GET', `${API}/assets?with_products=1`)
    const ids = all.body.data.map(({ id }: { id: string }) => id)
    assert.deepEqual(ids, [account.linkId, account.unattached.id, account.file.id])
    const attached = await account.call('GET', `${API}/assets?sku=PACK-1&product_id=77&attached=1`)
    assert.deepEqual([attached.body.meta.total, attached.body.data[0].id], [1, account.file.id])
    const keys = await account.call('GET', `${API}/keys`)
    const keyIds = keys.body.data.map(({ id }: { id: string }) => id)
    assert.deepEqual(
      keyIds.sort(),
      Object.values(account.keys)
        .map(({ id }) => id)
        .sort(),
    )
    for (const path of ownPaths(account)) {
      const { status, text } = await account.call('GET', path)
      const hasNoUpload = path.includes(`${account.linkId}/upload`)
      const isNotReady = path.includes(`${account.open.id}/download`)
      assert.equal(status < 400, !hasNoUpload && !isNotReady, `${path}: ${status} ${text}`)
    }
  }
})

test('the assets and products of one account return 404 for the other', async (t) => {
  const { north, south } = await twoAccounts(t)
  const byId = (account: SimilarAccount) =>
    ownPaths(account).filter((path) => /\/(assets|products)\//.test(path))
  for (const [reader, owner] of [
    [north, south],
    [south, north],
  ] as const) {
    for (const path of byId(owner)) {
      const { status, body } = await reader.call('GET', path)
      assert.deepEqual([status, body.code], [404, 'not_found'], path)
    }
  }
})

test('the same Idempotency-Key gives each account its own session', async (t) => {
  const { north, south } = await twoAccounts(t)
  for (const { call, bytes, open } of [north, south]) {
    const file = { name: 'pack 3.zip', size: bytes.length, mime: 'application/zip' }
    const headers = { 'Idempotency-Key': 'order-3' }
    const again = await call('POST', `${API}/assets/signed`, file, headers)
    assert.deepEqual([again.status, again.body.id], [201, open.id])
    const other = { ...file, size: 63 - bytes.length }
    const reused = await call('POST', `${API}/assets/signed`, other, headers)
    assert.deepEqual([reused.status, reused.body.code], [409, 'idempotency_key_reused'])
  }
  const [first, second] = await Promise.all(
    [north, south].map(({ call }) =>
      sendUpload(call, { name: 'new.zip', bytes: someBytes(5) }, { 'Idempotency-Key': 'order-4' }),
    ),
  )
  assert.notEqual(first?.session.id, second?.session.id)
})

test('attach and detach treat another account’s products and assets as unknown', async (t) => {
  const { service, north, south } = await twoAccounts(t)
  const { context } = service
  const only = { product_id: 99, variant_id: 991, name: 'Pack of north' }
  await north.call('PUT', `${API}/products`, { products: [only] })
  const uuid = context.newId()
  const cases: [string, object, object][] = [
    ['a product’s number', { product_ids: [99] }, { product_ids: [98] }],
    ['a variant’s number', { variant_ids: [991] }, { variant_ids: [981] }],
    ['a product’s id', { products: [north.products[0]?.id] }, { products: [uuid] }],
    ['among known products', { product_ids: [77, 78, 99] }, { product_ids: [77, 78, 98] }],
  ]
  const before = await Promise.all([north, south].map(({ id }) => readAccountState(context, id)))
  for (const action of ['attach', 'detach']) {
    for (const [name, ofNorth, unknown] of cases) {
      const path = `${API}/assets/${south.unattached.id}/${action}`
      const [notYours, notThere] = [
        await south.call('POST', path, ofNorth),
        await south.call('POST', path, unknown),
      ]
      assert.deepEqual([notYours.status, notThere.status], [422, 422], name)
      assert.equal(withoutIds(notYours.text), withoutIds(notThere.text), name)
    }
    const theirs = await south.call('POST', `${API}/assets/${north.file.id}/${action}`, {
      product_ids: [77],
    })
    assert.deepEqual([theirs.status, theirs.body.code], [404, 'not_found'])
  }
  const after = await Promise.all([north, south].map(({ id }) => readAccountState(context, id)))
  assert.deepEqual(after, before)
})

/** Removes the IDs that the request contained. */
function withoutIds(text: string): string {
  return text.replaceAll(/[0-9a-f-]{36}|\b9\d+\b/g, '…')
}

test('an upload_id of another account matches no upload', async (t) => {
  const { service, north, south } = await twoAccounts(t)
  for (const step of ['uploaded', 'cancel']) {
    const path = `${API}/assets/${south.open.id}/${step}`
    const notYours = await south.call('POST', path, { upload_id: north.open.upload_id })
    const notThere = await south.call('POST', path, { upload_id: service.context.newId() })
    assert.equal(notYours.status, 422)
    assert.equal(notYours.text, notThere.text)
    const swapped = `${API}/assets/${north.open.id}/${step}`
    const onNorth = await south.call('POST', swapped, { upload_id: north.open.upload_id })
    assert.equal(onNorth.status, 404)
  }
  const { status, body } = await north.call('GET', `${API}/assets/${north.open.id}/upload`)
  assert.deepEqual([status, body.status, body.received.length], [200, 'uploading', 3])
})

test('files with the same name in two accounts have separate contents', async (t) => {
  const { north, south } = await twoAccounts(t)
  for (const { call, file, bytes } of [north, south]) {
    const { headers } = await call('GET', `${API}/assets/${file.id}/download`)
    const response = await fetch(headers.get('location') ?? '')
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes)
  }
})

test('a full plan affects only its own account, and the error has only the numbers of that account', async (t) => {
  const { service, north, south } = await twoAccounts(t)
  await service.context.database.changePlan(north.id, { name: 'north plan', storage: 80 })
  const file = { name: 'more.zip', size: 100 }
  const refused = await north.call('POST', `${API}/assets/signed`, file)
  const { message, ...facts } = refused.body
  assert.deepEqual(facts, {
    code: 'storage_exceeded',
    needed: 100,
    available: 5,
    limit: 80,
    stored: 50,
    reserved: 25,
  })
  assert.equal((await south.call('POST', `${API}/assets/signed`, file)).status, 201)
  const { data } = (await south.call('GET', `${API}/account`)).body
  assert.deepEqual(data, {
    name: 'south',
    plan: { name: 'south plan', storage: 1e9, assets: null },
    stored: 76,
    reserved: 138,
    trash: 0,
    trash_for: 30 * 24 * 3600,
    keep_versions: 5,
    checksums: false,
    available: 1e9 - 214,
    assets: 3,
    scope: 'manage',
  })
})

test('another account’s keys cannot be revoked, and do not count as remaining manage keys', async (t) => {
  const { north, south } = await twoAccounts(t)
  const refused = await south.call('DELETE', `${API}/keys/${north.keys.manage.id}`)
  assert.deepEqual([refused.status, refused.body.code], [404, 'not_found'])
  assert.equal((await north.call('GET', `${API}/keys`)).status, 200)
  const last = await south.call('DELETE', `${API}/keys/${south.keys.manage.id}`)
  assert.deepEqual([last.status, last.body.code], [409, 'last_manage_key'])
  assert.equal((await south.call('GET', `${API}/keys`)).status, 200)
})
