import assert from 'node:assert/strict'
import {
  type Event,
  type EventAsset,
  type EventUpload,
  type EventWebhook,
  previousValues,
  toEventWebhook,
} from '../../domain/event.ts'
import type { Product } from '../../domain/product.ts'
import type { AccountData } from '../account-data.ts'
import type { Database } from '../database.ts'
import { walkRecords } from '../walk-database.ts'

const PAGE = 1000
const MAX_PRODUCTS = 1_000_000

/** All events of an account. Their IDs must be 1, 2, … up to the last one. */
export function readEvents(data: AccountData): Promise<Event[]> {
  return readEventsAfter(data, 0)
}

async function readEventsAfter(data: AccountData, first: number): Promise<Event[]> {
  const all: Event[] = []
  for (;;) {
    const after = first + all.length
    const { events, lastId } = await data.listEvents({ after, limit: PAGE })
    for (const event of events) {
      all.push(event)
      assert.equal(event.id, first + all.length)
    }
    if (events.length === 0) {
      assert.equal(lastId, after)
      return all
    }
  }
}

/** Checks that replaying the events of an account gives exactly its current state. */
export function checkEvents(database: Database, accountId: string): Promise<void> {
  return openEventCheck(database, accountId)()
}

/** Like `checkEvents`, but each call replays only the events since the previous call. */
export function openEventCheck(database: Database, accountId: string): () => Promise<void> {
  const replayed = noEvents()
  let last = 0
  return async () => {
    const events = await readEventsAfter(database.of(accountId), last)
    for (const event of events) replayEvent(replayed, event)
    last += events.length
    assert.deepEqual(toComparable(replayed), await readComparable(database, accountId))
  }
}

function toComparable({ assets, uploads, products, keys, webhooks }: ReplayedAccount) {
  return {
    assets: sorted(assets, ({ state, facts, older, products: own }) => ({
      state,
      ...facts,
      older: [...older].sort(),
      products: [...own].filter((id) => products.has(id)).sort(),
    })),
    uploads: sorted(uploads, ({ id, isReplacement, bytes }) => ({ id, isReplacement, bytes })),
    products: sorted(products, (product) => product),
    keys: sorted(keys, (name) => name),
    webhooks: sorted(webhooks, webhookFacts),
  }
}

function webhookFacts({ changed, updatedAt, ...facts }: EventWebhook) {
  return facts
}

async function readComparable(database: Database, accountId: string) {
  const data = database.of(accountId)
  const assets = new Map<string, object>()
  for await (const { asset, trashedAt, productIds, versions } of walkRecords(database)) {
    if (asset.accountId !== accountId) continue
    const state = trashedAt === undefined ? 'ready' : 'trashed'
    const older = versions.map(({ version }) => version).sort()
    assets.set(asset.id, { state, ...factsOf(asset), older, products: productIds.toSorted() })
  }
  const uploads = new Map<string, object>()
  for (const { id, asset, replaces } of await readAll(data.listUploads)) {
    uploads.set(id, {
      id: replaces?.assetId ?? asset.id,
      isReplacement: replaces !== null,
      bytes: asset.bytes,
    })
    if (replaces !== null) continue
    const own = await data.productsOfAssets([asset.id], MAX_PRODUCTS)
    const products = (own?.get(asset.id) ?? []).map((product) => product.id).sort()
    assets.set(asset.id, { state: 'uploading', ...factsOf(asset), older: [], products })
  }
  const products = (await readAll(data.listProducts)).map(
    (product) => [product.id, product] as const,
  )
  const webhooks = (await data.listWebhooks()).map((webhook) => toEventWebhook(webhook))
  const active = (await data.listKeys()).filter((key) => key.revokedAt === null && !hasExpired(key))
  return {
    assets: sorted(assets, (asset) => asset),
    uploads: sorted(uploads, (upload) => upload),
    products: sorted(new Map(products), (product) => product),
    keys: sorted(new Map(active.map(({ id, name }) => [id, name])), (name) => name),
    webhooks: sorted(new Map(webhooks.map((webhook) => [webhook.id, webhook])), webhookFacts),
  }
}

function hasExpired({ expiresAt }: { expiresAt?: Date | null }): boolean {
  return expiresAt != null && expiresAt.getTime() <= Date.now()
}

async function readAll<Row>(
  list: (query: { page: number; perPage: number }) => Promise<{ rows: Row[] }>,
): Promise<Row[]> {
  const all: Row[] = []
  for (let page = 1; ; page += 1) {
    const { rows } = await list({ page, perPage: PAGE })
    all.push(...rows)
    if (rows.length < PAGE) return all
  }
}

function sorted<Value, Result>(
  values: Map<string, Value>,
  map: (value: Value) => Result,
): [string, Result][] {
  return [...values]
    .map(([id, value]): [string, Result] => [id, map(value)])
    .sort(([one], [other]) => (one < other ? -1 : 1))
}

/** What can be known about an account from its events alone. */
interface ReplayedAccount {
  assets: Map<string, ReplayedAsset>
  /** By upload ID. */
  uploads: Map<string, EventUpload>
  products: Map<string, Product>
  /** The names of the keys that are neither revoked nor expired, by ID. */
  keys: Map<string, string>
  webhooks: Map<string, EventWebhook>
  /** The actor of each call that can change many resources, as JSON. */
  calls: Map<string, string>
}

interface ReplayedAsset {
  state: 'uploading' | 'ready' | 'trashed'
  facts: Pick<
    EventAsset,
    'filename' | 'bytes' | 'mime' | 'version' | 'path' | 'tags' | 'isInline'
  > & {
    url: string | null
    isDamaged: boolean
  }
  lastVersion: number
  /** The numbers of the older versions that are kept. */
  older: Set<number>
  /** The IDs of its products. */
  products: Set<string>
}

function noEvents(): ReplayedAccount {
  return {
    assets: new Map(),
    uploads: new Map(),
    products: new Map(),
    keys: new Map(),
    webhooks: new Map(),
    calls: new Map(),
  }
}

/** All events of a call have the same actor. */
function checkCall({ calls }: ReplayedAccount, { call, actor }: Event): void {
  if (call === null) return
  const text = JSON.stringify(actor)
  assert.equal(calls.get(call) ?? text, text)
  calls.set(call, text)
}

function replayEvent(account: ReplayedAccount, event: Event): void {
  const { products, keys, webhooks } = account
  checkCall(account, event)
  switch (event.type) {
    case 'upload.started':
    case 'upload.updated':
      keepUpload(account, event.data)
      break
    case 'upload.cancelled':
    case 'upload.expired':
      endUpload(account, event.data)
      break
    case 'product.updated':
      products.set(event.data.id, event.data)
      break
    case 'product.deleted':
      deleteProduct(account, event.data.id)
      break
    case 'product.arranged':
      assert.ok(products.has(event.data.id))
      break
    case 'key.created':
      if (!hasExpired(event.data)) keys.set(event.data.id, event.data.name)
      break
    case 'key.revoked':
      keys.delete(event.data.id)
      break
    case 'webhook.created':
    case 'webhook.updated':
      webhooks.set(event.data.id, event.data)
      break
    case 'webhook.deleted':
      webhooks.delete(event.data.id)
      break
    case 'version.deleted':
      assert.ok(account.assets.get(event.data.assetId)?.older.delete(event.data.version))
      break
    case 'token.created':
    case 'token.revoked':
    case 'order.created':
    case 'order.updated':
    case 'order.revoked':
    case 'order.downloaded':
    case 'order.limit_reached':
    case 'order.more_requested':
    case 'mail.sent':
    case 'mail.failed':
    case 'account.storage_low':
    case 'account.suspended':
    case 'account.resumed':
      break
    default:
      replayAsset(account, event)
  }
}

type AssetEvent = Extract<Event, { data: EventAsset }>

function replayAsset(account: ReplayedAccount, event: AssetEvent): void {
  const { type, data } = event
  const asset = account.assets.get(data.id)
  checkPrevious(event, asset)
  if (type === 'asset.removed') {
    account.assets.delete(data.id)
    return
  }
  const products = asset?.products ?? new Set()
  if (type === 'asset.attached') for (const { id } of data.products) products.add(id)
  if (type === 'asset.detached') for (const { id } of data.products) products.delete(id)
  if (type === 'asset.restored') {
    for (const id of products) if (!account.products.has(id)) products.delete(id)
  }
  // A new version has a number that none had before. Restoring a version does not end an unfinished replacement.
  const isNew = type === 'asset.replaced' && data.version > (asset?.lastVersion ?? 0)
  if (type === 'asset.ready' || isNew) forgetUploads(account, data.id, isNew)
  const older = asset?.older ?? new Set()
  if (type === 'asset.replaced' && asset !== undefined) {
    older.add(asset.facts.version)
    older.delete(data.version)
  }
  account.assets.set(data.id, {
    state: stateAfter(type, asset),
    facts: factsOf(data),
    lastVersion: Math.max(asset?.lastVersion ?? 1, data.version),
    older,
    products,
  })
}

/** What an event says about the time before it is what the events before it say. */
function checkPrevious(event: AssetEvent, asset: ReplayedAsset | undefined): void {
  const { type, data } = event
  if (type !== 'asset.updated' && type !== 'asset.replaced') return
  assert.ok(asset)
  const { filename, path, tags, isInline, url, bytes, version } = asset.facts
  if (type === 'asset.updated') {
    assert.equal(data.repairedVersion === undefined, data.previous !== undefined)
    const before = { filename, path, tags, isInline, url, bytes }
    assert.deepEqual(data.previous ?? {}, previousValues(before, data))
    return
  }
  assert.deepEqual(data.previous, previousValues({ filename, version }, data))
  assert.equal(data.isRestored, asset.older.has(data.version))
}

function stateAfter(
  type: AssetEvent['type'],
  asset: ReplayedAsset | undefined,
): ReplayedAsset['state'] {
  if (type === 'asset.deleted') return 'trashed'
  if (type === 'asset.ready' || type === 'asset.restored') return 'ready'
  return asset?.state ?? 'uploading'
}

function factsOf(
  asset: Omit<EventAsset, 'trashedAt' | 'accountId' | 'status'>,
): ReplayedAsset['facts'] {
  const { filename, bytes, mime, url, version, path, tags, isInline, integrity } = asset
  const facts = { filename, bytes, mime, url, version, path, tags, isInline }
  return { ...facts, isDamaged: integrity.isDamaged }
}

function keepUpload({ assets, uploads }: ReplayedAccount, upload: EventUpload): void {
  uploads.set(upload.uploadId, upload)
  if (upload.isReplacement) return
  const { filename, bytes, mime, path, tags } = upload
  const known = assets.get(upload.id)
  assets.set(upload.id, {
    state: 'uploading',
    facts: known
      ? { ...known.facts, bytes }
      : {
          filename,
          bytes,
          mime,
          url: null,
          version: 1,
          path,
          tags,
          isInline: false,
          isDamaged: false,
        },
    lastVersion: 1,
    older: new Set(),
    products: known?.products ?? new Set(),
  })
}

function endUpload({ assets, uploads }: ReplayedAccount, upload: EventUpload): void {
  uploads.delete(upload.uploadId)
  if (!upload.isReplacement) assets.delete(upload.id)
}

function forgetUploads({ uploads }: ReplayedAccount, id: string, isReplacement: boolean): void {
  for (const upload of uploads.values()) {
    if (upload.id === id && upload.isReplacement === isReplacement) uploads.delete(upload.uploadId)
  }
}

/** Also detaches its assets. */
function deleteProduct({ assets, products }: ReplayedAccount, id: string): void {
  products.delete(id)
  for (const asset of assets.values()) asset.products.delete(id)
}
