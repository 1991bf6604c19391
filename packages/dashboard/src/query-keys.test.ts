import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StowageEvent } from '@stowage/client'
import { EVENT_TYPES, type EventType } from '@stowage/protocol'
import { affects, changedBy, type QueryKey, queryKeys } from './query-keys.ts'

// The table of effects is written by event and this test by query, so that a wrong line in one of them fails.
const UPLOADS: readonly EventType[] = [
  'upload.started',
  'upload.updated',
  'upload.cancelled',
  'upload.expired',
]
const ASSETS: readonly EventType[] = [
  'asset.ready',
  'asset.updated',
  'asset.replaced',
  'asset.deleted',
  'asset.restored',
  'asset.removed',
  'asset.damaged',
  'asset.attached',
  'asset.detached',
]
const PRODUCTS: readonly EventType[] = ['product.updated', 'product.deleted', 'product.arranged']
const ORDERS: readonly EventType[] = [
  'order.created',
  'order.updated',
  'order.revoked',
  'order.downloaded',
  'order.more_requested',
  'mail.sent',
]
const MAILS: readonly EventType[] = [
  ...ORDERS.filter((type) => type !== 'order.downloaded'),
  'mail.failed',
]
const WEBHOOKS: readonly EventType[] = ['webhook.created', 'webhook.updated', 'webhook.deleted']

const ACCOUNT: readonly EventType[] = [
  'account.storage_low',
  'account.suspended',
  'account.resumed',
]

/** The ID in the data of all events of this test. */
const ID = 'a'
const OTHER_ID = 'b'

interface Case {
  key: QueryKey
  /** The events after which it is loaded again. */
  by: readonly EventType[]
  /** The same query about another asset. */
  other?: Case
}

/** One case for each function of `queryKeys`. */
const CASES: Record<keyof typeof queryKeys, Case> = {
  session: { key: queryKeys.session(), by: [] },
  serviceStatus: { key: queryKeys.serviceStatus(), by: [] },
  account: {
    key: queryKeys.account(),
    by: [...UPLOADS, ...ASSETS, 'version.deleted', ...ACCOUNT],
  },
  usage: {
    key: queryKeys.usage(),
    by: [...UPLOADS, ...ASSETS, 'version.deleted', ...ACCOUNT],
  },
  assetList: { key: queryKeys.assetList({ page: 1 }), by: [...ASSETS, ...PRODUCTS] },
  folders: { key: queryKeys.folders('a', ''), by: [...ASSETS, ...PRODUCTS] },
  bulkJobs: { key: queryKeys.bulkJobs(), by: [...ASSETS, ...PRODUCTS] },
  folderMoves: { key: queryKeys.folderMoves(), by: [...ASSETS, ...PRODUCTS] },
  assetChoices: { key: queryKeys.assetChoices('text'), by: [...ASSETS, ...PRODUCTS] },
  assetSearch: { key: queryKeys.assetSearch('text'), by: [...ASSETS, ...PRODUCTS] },
  largestFiles: { key: queryKeys.largestFiles(), by: [...ASSETS, ...PRODUCTS] },
  allProducts: { key: queryKeys.allProducts(), by: [...ASSETS, ...PRODUCTS] },
  productsOfNames: { key: queryKeys.productsOfNames(['a']), by: [...ASSETS, ...PRODUCTS] },
  assetsOfProduct: { key: queryKeys.assetsOfProduct(1), by: [...ASSETS, ...PRODUCTS] },
  asset: {
    key: queryKeys.asset(ID),
    by: [...UPLOADS, ...ASSETS, ...PRODUCTS],
    other: { key: queryKeys.asset(OTHER_ID), by: PRODUCTS },
  },
  versions: {
    key: queryKeys.versions(ID, 1, false),
    by: [...ASSETS, 'version.deleted'],
    other: { key: queryKeys.versions(OTHER_ID, 1, false), by: [] },
  },
  // Another URL would restart a video. A new version has another key.
  downloadUrl: { key: queryKeys.downloadUrl(ID, 1), by: [] },
  thumbnailUrl: { key: queryKeys.thumbnailUrl(ID, 1), by: [] },
  tags: { key: queryKeys.tags('a', 20), by: ASSETS },
  trash: { key: queryKeys.trash({ page: 1 }), by: ASSETS },
  uploads: { key: queryKeys.uploads(1), by: [...UPLOADS, ...ASSETS] },
  productList: { key: queryKeys.productList({ page: 1 }), by: [...ASSETS, ...PRODUCTS] },
  productName: { key: queryKeys.productName(1), by: [...ASSETS, ...PRODUCTS] },
  productSearch: { key: queryKeys.productSearch('text'), by: [...ASSETS, ...PRODUCTS] },
  productChoices: { key: queryKeys.productChoices('text'), by: [...ASSETS, ...PRODUCTS] },
  variants: { key: queryKeys.variants(1, ''), by: [...ASSETS, ...PRODUCTS] },
  product: { key: queryKeys.product(OTHER_ID), by: [...ASSETS, ...PRODUCTS] },
  assetCount: { key: queryKeys.assetCount(OTHER_ID), by: [...ASSETS, ...PRODUCTS] },
  order: { key: queryKeys.order(OTHER_ID), by: [...ORDERS, ...ASSETS, ...PRODUCTS] },
  orderFiles: { key: queryKeys.orderFiles(OTHER_ID), by: [...ORDERS, ...ASSETS, ...PRODUCTS] },
  assetDownloads: { key: queryKeys.assetDownloads(OTHER_ID, 1), by: ['order.downloaded'] },
  downloadTotals: { key: queryKeys.downloadTotals({ days: 7 }), by: ['order.downloaded'] },
  orderDownloads: { key: queryKeys.orderDownloads(OTHER_ID, 1), by: ['order.downloaded'] },
  mailList: { key: queryKeys.mailList({ page: 1 }), by: MAILS },
  mail: { key: queryKeys.mail(OTHER_ID), by: MAILS },
  // Only a person changes them, or a new version does, which has another key.
  mailTexts: { key: queryKeys.mailTexts(), by: [] },
  newsPreview: { key: queryKeys.newsPreview(ID, 2), by: [] },
  notices: { key: queryKeys.notices(ID), by: ['mail.sent', 'mail.failed'] },
  branding: { key: queryKeys.branding(), by: [] },
  orderList: { key: queryKeys.orderList({ page: 1 }), by: ORDERS },
  apiKeys: { key: queryKeys.apiKeys(), by: ['key.created', 'key.revoked'] },
  uploadTokens: { key: queryKeys.uploadTokens(), by: ['token.created', 'token.revoked'] },
  webhooks: { key: queryKeys.webhooks(), by: WEBHOOKS },
  webhook: { key: queryKeys.webhook(OTHER_ID), by: WEBHOOKS },
  deliveries: { key: queryKeys.deliveries(OTHER_ID, 1), by: WEBHOOKS },
  // The body of a delivery never changes.
  delivery: { key: queryKeys.delivery(ID), by: [] },
  events: { key: queryKeys.events({}), by: EVENT_TYPES },
}

/** The only types whose data has no ID. */
function anEvent(type: string): StowageEvent {
  return {
    type,
    data: ACCOUNT.some((one) => one === type) ? {} : { id: ID },
  } as unknown as StowageEvent
}

function assertLoadedBy({ key, by }: Case): void {
  const types = EVENT_TYPES.filter((type) => affects([anEvent(type)], key))
  assert.deepEqual(types.toSorted(), by.toSorted())
}

for (const [name, { other, ...own }] of Object.entries(CASES)) {
  test(`the query ${name} is loaded again after exactly those events that change its data`, () => {
    assertLoadedBy(own)
    if (other !== undefined) assertLoadedBy(other)
  })
}

test('after its own change, a page loads the queries that the event of the change affects, of every asset', () => {
  for (const type of EVENT_TYPES) {
    const { predicate } = changedBy(type)
    for (const [name, { key, by, other }] of Object.entries(CASES)) {
      assert.equal(predicate({ queryKey: key }), by.includes(type) || name === 'events')
      if (other) assert.equal(predicate({ queryKey: other.key }), by.includes(type), name)
    }
  }
})

test('every query has a case', () => {
  // Node runs this file without checking its types.
  assert.deepEqual(Object.keys(CASES).toSorted(), Object.keys(queryKeys).toSorted())
})

test('of several events, one that changes the data is enough', () => {
  const events = [anEvent('token.created'), anEvent('asset.ready')]
  assert.ok(affects(events, queryKeys.assetList({})))
  assert.ok(!affects([anEvent('token.created')], queryKeys.assetList({})))
})

test('an event of a type that this page does not know only affects the activity', () => {
  for (const type of ['order.paid', 'constructor']) {
    for (const [name, { key }] of Object.entries(CASES)) {
      assert.equal(affects([anEvent(type)], key), name === 'events', `${type} × ${name}`)
    }
  }
})
