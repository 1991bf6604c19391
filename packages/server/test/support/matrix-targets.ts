import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import {
  type Call,
  finishUpload,
  sendUpload,
  type TestAccount,
} from '@stowage/testing/service/accounts'
import { API, putParts, someBytes } from '@stowage/testing/service/upload'
import type { Operation, Target } from './openapi-operations.ts'

async function anUploadingFile({ call }: TestAccount): Promise<Target> {
  const { session, parts } = await sendUpload(call, { name: 'uploading.zip', bytes: someBytes(25) })
  const fields = { upload_id: session.upload_id, parts }
  return { state: 'an unfinished upload', ids: { 'assets/{id}': session.id }, fields }
}

async function aReadyFile({ call }: TestAccount): Promise<Target> {
  const sent = await sendUpload(call, { name: 'ready.zip', bytes: someBytes(25) })
  await finishUpload(call, sent)
  const { id, upload_id } = sent.session
  const fields = { upload_id, parts: sent.parts }
  return { state: 'a file', ids: { 'assets/{id}': id }, fields }
}

async function aReplacedFile(account: TestAccount): Promise<Target> {
  const { call } = account
  const { ids } = await aReadyFile(account)
  const id = ids['assets/{id}'] ?? ''
  const bytes = someBytes(30, 2)
  const session = await call('POST', `${API}/assets/${id}/signed`, { size: bytes.length })
  assert.equal(session.status, 201, session.text)
  const parts = await putParts(session.body, bytes)
  await finishUpload(call, { session: session.body, parts })
  return { state: 'a replaced file', ids: { ...ids, 'versions/{version}': '1' }, fields: {} }
}

async function aLinkInList(account: TestAccount): Promise<Target> {
  const { state, ids } = await aLink(account)
  return { state: `${state} in a list`, ids: {}, fields: { ids: Object.values(ids) } }
}

async function aLink({ call }: TestAccount): Promise<Target> {
  const link = { filename: 'elsewhere.zip', url: 'https://example.com/elsewhere.zip' }
  const { id } = await createdBy(call, 'POST', '/assets/store', link)
  return { state: 'a link', ids: { 'assets/{id}': id }, fields: {} }
}

async function aFolder({ call }: TestAccount): Promise<Target> {
  const from = `course ${randomInt(2 ** 40)}`
  const link = { filename: 'elsewhere.zip', url: 'https://example.com/elsewhere.zip', path: from }
  await createdBy(call, 'POST', '/assets/store', link)
  return { state: 'a folder', ids: {}, fields: { from, to: `moved ${from}` } }
}

async function aBulkChange({ call }: TestAccount): Promise<Target> {
  const { fields } = await aFolder({ call } as TestAccount)
  const filter = { path: fields.from }
  const body = { action: 'tag', filter, expected: 1, tags: ['autumn'] }
  const { id } = await createdBy(call, 'POST', '/bulk', body)
  return { state: 'a change of all matches', ids: { 'bulk/{id}': id }, fields: {} }
}

async function matches(account: TestAccount): Promise<Target> {
  const { fields } = await aFolder(account)
  const body = { action: 'tag', filter: { path: fields.from }, expected: 1, tags: ['autumn'] }
  return { state: 'matches of a filter', ids: {}, fields: body }
}

async function aProduct({ call }: TestAccount): Promise<Target> {
  const shopId = randomInt(1e9, 2 ** 40)
  const product = { product_id: shopId, variant_id: shopId, name: 'Course' }
  const [{ id }] = await createdBy(call, 'PUT', '/products', { products: [product] })
  return { state: 'a product', ids: { 'products/{id}': id }, fields: {} }
}

async function aKey({ call }: TestAccount): Promise<Target> {
  const { id } = await createdBy(call, 'POST', '/keys', { name: 'to be revoked', scope: 'read' })
  return { state: 'a key', ids: { 'keys/{id}': id }, fields: {} }
}

async function anUploadToken({ call }: TestAccount): Promise<Target> {
  const { status, body, text } = await call('POST', `${API}/upload-tokens`, { max_bytes: 1 })
  assert.equal(status, 201, text)
  return { state: 'an upload token', ids: { 'upload-tokens/{id}': body.id }, fields: {} }
}

async function anOrder({ call }: TestAccount): Promise<Target> {
  const link = { filename: 'elsewhere.zip', url: 'https://example.com/elsewhere.zip' }
  const asset = await createdBy(call, 'POST', '/assets/store', link)
  const order = await createdBy(call, 'POST', '/orders', {
    assets: [asset.id],
    email: 'ada@example.com',
    notify: true,
  })
  const fields = { asset: asset.id, assets: [asset.id], asset_ids: [asset.id] }
  return { state: 'an order', ids: { 'orders/{id}': order.id }, fields }
}

async function aMail(account: TestAccount): Promise<Target> {
  const { ids } = await anOrder(account)
  const { body } = await account.call('GET', `${API}/mails?order=${ids['orders/{id}']}`)
  return { state: 'a mail', ids: { 'mails/{id}': body.data[0].id }, fields: {} }
}

async function aNotice(account: TestAccount): Promise<Target> {
  const { ids } = await aLink(account)
  const told = await createdBy(account.call, 'POST', `/assets/${ids['assets/{id}']}/notify`, {})
  return { state: 'a notice', ids: { 'notices/{id}': told.notice.id }, fields: {} }
}

/** The page of an order, by its token. */
async function aBuyersOrder(account: TestAccount): Promise<Target> {
  const { ids } = await anOrder(account)
  const order = await account.call('GET', `${API}/orders/${ids['orders/{id}']}`)
  const token = order.body.data.url.split('/').at(-1)
  return { state: 'a download page', ids: {}, fields: {}, query: { id: token } }
}

/** The number of webhooks of an account is limited, so older ones are deleted. */
async function aWebhook({ call }: TestAccount): Promise<Target> {
  const { body } = await call('GET', `${API}/webhooks`)
  for (const { id } of body.data.slice(0, -5)) await call('DELETE', `${API}/webhooks/${id}`)
  const { id } = await createdBy(call, 'POST', '/webhooks', { url: 'https://shop.example/hook' })
  return { state: 'a webhook', ids: { 'webhooks/{id}': id }, fields: {} }
}

async function aDelivery(account: TestAccount): Promise<Target> {
  const { ids } = await aWebhook(account)
  const ping = await createdBy(account.call, 'POST', `/webhooks/${ids['webhooks/{id}']}/ping`, {})
  return { state: 'a delivery', ids: { ...ids, 'deliveries/{delivery}': ping.id }, fields: {} }
}

async function createdBy(call: Call, method: string, path: string, body: object) {
  const response = await call(method, API + path, body)
  assert.ok(response.status < 300, response.text)
  return response.body.data
}

/** Creates resources for the path parameters, one in every state that matters. */
const MAKERS: Record<string, ((account: TestAccount) => Promise<Target>)[]> = {
  'assets/{id}': [anUploadingFile, aReadyFile, aLink],
  'assets/{id} versions/{version}': [aReplacedFile],
  'bulk/{id}': [aBulkChange],
  'products/{id}': [aProduct],
  'keys/{id}': [aKey],
  'upload-tokens/{id}': [anUploadToken],
  'orders/{id}': [anOrder],
  'mails/{id}': [aMail],
  'notices/{id}': [aNotice],
  'webhooks/{id}': [aWebhook],
  'webhooks/{id} deliveries/{delivery}': [aDelivery],
}

/** Creates the resources of the account to call the operation on. Throws for unknown path parameters. */
export async function targetsOf(operation: Operation, account: TestAccount): Promise<Target[]> {
  const variables = operation.path.match(/[^/]*\/?\{[^}]*\}/g) ?? []
  const variable = variables.join(' ')
  if (operation.body && 'ids' in operation.body) return [await aLinkInList(account)]
  if (operation.name === `POST ${API}/bulk`) return [await matches(account)]
  if (operation.name === `PUT ${API}/products/{id}/assets`) {
    return [{ ...(await aProduct(account)), fields: { assets: [] } }]
  }
  if (operation.path.endsWith('/folders/move')) return [await aFolder(account)]
  if (operation.name === `POST ${API}/orders`) {
    // A call with a known reference changes the order, and its response has another status.
    return [{ state: 'the account', ids: {}, fields: { reference: randomUUID() } }]
  }
  if (operation.path.endsWith('/customer-account-orders')) return [await aBuyersOrder(account)]
  if (variables.length === 0) return [{ state: 'the account', ids: {}, fields: {} }]
  const makers = MAKERS[variable]
  assert.ok(makers, `${operation.name}: no test resource for ${variable}`)
  return Promise.all(makers.map((make) => make(account)))
}

/** The same target, whose path has IDs that never existed. */
export function onUnknownIds({ ids, ...rest }: Target, newId: () => string): Target {
  const unknown = Object.entries(ids).map(([variable, value]) => [
    variable,
    // The number of a version is not an ID.
    variable.endsWith('{version}') ? value : newId(),
  ])
  return { ...rest, ids: Object.fromEntries(unknown) }
}
