import { openWebhookSecrets, sealWebhookSecret } from '../crypto/secret-key.ts'
import type { AccountData } from '../database/account-data.ts'
import type { EventPage } from '../database/event-data.ts'
import type { BulkEntry } from '../domain/bulk.ts'
import type { Event } from '../domain/event.ts'
import type { Product } from '../domain/product.ts'
import type { Webhook } from '../domain/webhook.ts'
import { type Databases, MoveRefused } from './move.ts'

const PAGE = 1000

/** The accounts and products in the target that correspond to those of the source. */
export interface Destinations {
  /** By the account's ID in the source. */
  accounts: Map<string, { id: string; data: AccountData }>
  /** The product's ID in the target, by its ID in the source. */
  products: Map<string, string>
}

/** Accounts are matched by name, products by the shop's product and variant IDs. */
export async function copyAccounts({ source, target }: Databases): Promise<Destinations> {
  const destinations: Destinations = { accounts: new Map(), products: new Map() }
  for (const account of await source.database.listAccounts()) {
    const { id } = await target.database.ensureAccount(account)
    const { planName: name, planStorage: storage, planAssets: assets } = account
    await target.database.changePlan(id, { name, storage, assets })
    await target.database.importAccountState({ ...account, id })
    const data = target.database.of(id)
    destinations.accounts.set(account.id, { id, data })
    const from = source.database.of(account.id)
    const keys = (await from.listKeys()).map((key) => ({ ...key, accountId: id }))
    for (let start = 0; start < keys.length; start += PAGE) {
      await data.importRecords({ keys: keys.slice(start, start + PAGE), assets: [] })
    }
    const deletion = await from.findTrashAll()
    if (deletion !== undefined) await data.importTrashAll(deletion)
    for (const record of await from.listFolderMoveRecords()) await data.importFolderMove(record)
    for await (const products of productPages(from)) {
      const found = await from.handlesOfProducts(products.map(({ id }) => id))
      const handles = new Map(found.map(({ id, handle }) => [id, handle]))
      const copies = products.map((product) => {
        const handle = handles.get(product.id)
        return { ...product, ...(handle !== undefined && { handle }) }
      })
      const put = await data.putProducts(copies, { isCopy: true })
      products.forEach((product, index) => {
        destinations.products.set(product.id, put[index]?.id ?? '')
      })
    }
    await copyBulkJobs(from, data, destinations.products)
  }
  return destinations
}

/** After the assets. The products of the shop have the same IDs. */
export async function copyFileOrders(
  { source }: Pick<Databases, 'source'>,
  destinations: Destinations,
): Promise<void> {
  for (const [accountId, { data }] of destinations.accounts) {
    const from = source.database.of(accountId)
    for (let after = -1; ; ) {
      const orders = await from.listFileOrders(after, PAGE)
      for (const order of orders) await data.importFileOrder(order)
      after = orders.at(-1)?.productId ?? after
      if (orders.length < PAGE) break
    }
  }
}

const BATCHES = 100

/** The jobs with the product IDs of the target. Those of products that were deleted stay as they are. */
async function copyBulkJobs(
  from: AccountData,
  to: AccountData,
  products: Map<string, string>,
): Promise<void> {
  const translate = <Change extends Pick<BulkEntry, 'products'>>(change: Change): Change =>
    change.products === undefined
      ? change
      : { ...change, products: change.products.map((id) => products.get(id) ?? id) }
  const translateBatch = (json: string): string => {
    const entries: (string | BulkEntry)[] = JSON.parse(json)
    return JSON.stringify(
      entries.map((entry) => (typeof entry === 'string' ? entry : translate(entry))),
    )
  }
  for (const record of await from.listBulkJobRecords()) {
    const { job } = record
    await to.importBulkJob({ ...record, job: { ...job, change: translate(job.change) } })
    for (let next = 0; ; next += BATCHES) {
      const batches = await from.listBulkBatches(job.id, next, BATCHES)
      const translated = batches.map(({ number, assets, undo }) => ({
        number,
        assets: translateBatch(assets),
        undo: undo === null ? null : translateBatch(undo),
      }))
      await to.importBulkBatches(job.id, translated)
      if (batches.length < BATCHES) break
    }
  }
}

async function* productPages(data: AccountData): AsyncIterable<Product[]> {
  for (let page = 1; ; page += 1) {
    const { rows } = await data.listProducts({ page, perPage: PAGE })
    if (rows.length > 0) yield rows
    if (rows.length < PAGE) return
  }
}

const EVENTS = 500

/**
 * Refuses accounts of the target that have other events than the source, because two events would have the same ID.
 * Events that an interrupted run has copied are equal to those of the source.
 */
export async function refuseOtherEvents({ source, target }: Databases): Promise<void> {
  for (const account of await source.database.listAccounts()) {
    const existing = await target.database.findAccount(account.name)
    if (existing === undefined) continue
    const from = source.database.of(account.id)
    const to = target.database.of(existing.id)
    for await (const { events, lastId } of eventPages(to)) {
      const first = events[0]?.id ?? lastId
      const own = await from.listEvents({ after: first - 1, limit: events.length || 1 })
      // A source without events has none to copy.
      if (own.lastId === 0) break
      const known = new Map(own.events.map((event) => [event.id, event]))
      const isSame = events.every((event) => isSameEvent(event, known.get(event.id)))
      if (isSame && lastId <= own.lastId) continue
      throw new MoveRefused(
        `the account ${account.name} of the target has events that are not in the source. Use an empty target`,
      )
    }
  }
}

function isSameEvent(one: Event, other: Event | undefined): boolean {
  return one.type === other?.type && one.createdAt.getTime() === other.createdAt.getTime()
}

/** Copies the events with their IDs, so that readers continue after the move. */
export async function copyEvents(
  { source }: Pick<Databases, 'source'>,
  destinations: Destinations,
): Promise<void> {
  for (const [accountId, { data }] of destinations.accounts) {
    for await (const page of eventPages(source.database.of(accountId))) {
      const events = page.events.map((event) => translateEvent(event, destinations.products))
      await data.importEvents({ ...page, events })
    }
  }
}

/** Yields at least one page, even if it has no events, because a page also has the counters. */
async function* eventPages(data: AccountData): AsyncIterable<EventPage> {
  let after = 0
  for (;;) {
    const page = await data.listEvents({ after, limit: EVENTS })
    yield page
    after = page.events.at(-1)?.id ?? after
    if (!page.hasMore) return
  }
}

/** The same event with the product IDs of the target. */
function translateEvent(event: Event, products: Map<string, string>): Event {
  if (event.type === 'asset.attached' || event.type === 'asset.detached') {
    const own = event.data.products.map((product) => ({
      ...product,
      id: products.get(product.id) ?? product.id,
    }))
    return { ...event, data: { ...event.data, products: own } }
  }
  if (event.type === 'product.updated' || event.type === 'product.deleted') {
    const { id } = event.data
    return { ...event, data: { ...event.data, id: products.get(id) ?? id } }
  }
  if (event.type === 'product.arranged') {
    const { id } = event.data
    return { ...event, data: { ...event.data, id: products.get(id) ?? id } }
  }
  return event
}

/** How many webhooks are read at a time. */
const WEBHOOKS = 100
/** How many deliveries are read at a time. Their bodies can be large. */
const DELIVERIES = 100

/**
 * Copies the webhooks with their secrets and deliveries. The secrets are encrypted with the key of the target. The target
 * sends the pending deliveries.
 */
export async function copyWebhooks(
  move: Databases,
  { accounts }: Pick<Destinations, 'accounts'>,
): Promise<void> {
  const { source } = move
  const { database } = source
  for (let after: string | undefined; ; ) {
    const webhooks = await database.listAllWebhooks(after, WEBHOOKS)
    for (const { pending, ...webhook } of webhooks) {
      const account = accounts.get(webhook.accountId)
      const target = account?.data
      const secrets = sealForTarget(move, webhook, account?.id ?? '')
      await target?.importWebhooks({ webhooks: [{ ...webhook, ...secrets }], deliveries: [] })
      for (let last: string | undefined; ; ) {
        const deliveries = await database.listAllDeliveries(webhook.id, last, DELIVERIES)
        await target?.importWebhooks({ webhooks: [], deliveries })
        last = deliveries.at(-1)?.id
        if (deliveries.length < DELIVERIES) break
      }
    }
    after = webhooks.at(-1)?.id
    if (webhooks.length < WEBHOOKS) return
  }
}

/** Called before anything is copied. Refuses a source whose secrets cannot be decrypted. */
export async function refuseUnreadableSecrets(move: Databases): Promise<void> {
  for (let after: string | undefined; ; ) {
    const webhooks = await move.source.database.listAllWebhooks(after, WEBHOOKS)
    for (const webhook of webhooks) sealForTarget(move, webhook, webhook.accountId)
    after = webhooks.at(-1)?.id
    if (webhooks.length < WEBHOOKS) return
  }
}

function sealForTarget({ source, target }: Databases, webhook: Webhook, accountId: string) {
  const owner = { id: webhook.id, accountId }
  const key = target.secretKey
  if (key === undefined) return {}
  const seal = (secret: string) => sealWebhookSecret(key, owner, secret)
  try {
    // Secrets that are not encrypted need no key.
    const { secret, previousSecrets } = openWebhookSecrets(source.secretKey ?? key, webhook)
    const previous = previousSecrets.map(({ secret: old, validUntil }) => {
      return { secret: seal(old), validUntil }
    })
    return { secret: seal(secret), previousSecrets: previous }
  } catch {
    throw new MoveRefused(
      'the secrets of the webhooks in the source cannot be decrypted. Set STOWAGE_SECRET_KEY to the key of the source. If it is lost, run `stowage adopt` in the source, start its service, and replace the secret of each webhook',
    )
  }
}
