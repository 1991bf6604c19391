import assert from 'node:assert/strict'
import type { Event, EventWebhook } from '../../domain/event.ts'
import { toEventWebhook } from '../../domain/webhook-event.ts'
import type { AccountData } from '../account-data.ts'
import type { Database } from '../database.ts'
import { walkRecords } from '../walk-records.ts'
import { factsOf, noEvents, type ReplayedAccount, replayEvent } from './replay-events.ts'

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
    assets: sorted(assets, ({ state, facts, products: own }) => ({
      state,
      ...facts,
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
  for await (const { asset, trashedAt, productIds } of walkRecords(database)) {
    if (asset.accountId !== accountId) continue
    const state = trashedAt === undefined ? 'ready' : 'trashed'
    assets.set(asset.id, { state, ...factsOf(asset), products: productIds.toSorted() })
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
    assets.set(asset.id, { state: 'uploading', ...factsOf(asset), products })
  }
  const products = (await readAll(data.listProducts)).map(
    (product) => [product.id, product] as const,
  )
  const webhooks = (await data.listWebhooks()).map((webhook) => toEventWebhook(webhook))
  const active = (await data.listKeys()).filter(({ revokedAt }) => revokedAt === null)
  return {
    assets: sorted(assets, (asset) => asset),
    uploads: sorted(uploads, (upload) => upload),
    products: sorted(new Map(products), (product) => product),
    keys: sorted(new Map(active.map(({ id, name }) => [id, name])), (name) => name),
    webhooks: sorted(new Map(webhooks.map((webhook) => [webhook.id, webhook])), webhookFacts),
  }
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
