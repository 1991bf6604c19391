import type { EventType } from '../../domain/event.ts'
import { type NewMail, RETRY_FOR_MS } from '../../domain/mail.ts'
import {
  type Branding,
  limitOf,
  type NewOrder,
  type NewOrderLine,
  NO_BRANDING,
  type Order,
  type OrderChange,
  STARTS_PER_DOWNLOAD,
  toEventOrder,
} from '../../domain/order.ts'
import type {
  ChangedOrder,
  ContinuedDownload,
  DownloadRefusal,
  NewDownload,
  OpenedDownload,
  OrderData,
  PutOrder,
  UnknownOfOrder,
} from '../order-data.ts'
import { toMailColumns } from './mail-rows.ts'
import type { MailStatements } from './mail-statements.ts'
import {
  type FileStateRow,
  statusOf,
  toChangedColumns,
  toDownloadColumns,
  toOrderColumns,
} from './order-rows.ts'
import type { OrderStatements } from './order-statements.ts'
import { toDate } from './rows.ts'
import { record, run, type SharedWork } from './steps.ts'

/** The changes of orders and downloads. Each is one transaction, with the same steps on both engines. */
export function orderWork(
  { orders: statements, mails }: { orders: OrderStatements; mails: MailStatements },
  account: string,
) {
  const find = (id: string) => run(statements.findOrder, { account, id, reference: id })

  function* getOrder(id: string): SharedWork<Order> {
    const order = yield* find(id)
    if (order === undefined) throw new Error(`the order ${id} was not stored`)
    return order
  }

  /** The lines and assets that do not exist; undefined if all exist. Known lines are not checked again. */
  function* findUnknown(
    lines: NewOrderLine[],
    assetIds: string[],
    known: readonly NewOrderLine[] = [],
  ): SharedWork<UnknownOfOrder | undefined> {
    const unknown: number[] = []
    for (const [index, line] of lines.entries()) {
      if (known.some((one) => isSameProduct(one, line))) continue
      const { productId: product, variantId: variant } = line
      if (!(yield* run(statements.hasProduct, { account, product, variant }))) unknown.push(index)
    }
    const assets =
      assetIds.length === 0 ? [] : yield* run(statements.unknownAssets, { account, ids: assetIds })
    if (unknown.length === 0 && assets.length === 0) return undefined
    return { outcome: 'unknown', lines: unknown, assetIds: assets }
  }

  function* writeLines(order: string, lines: NewOrderLine[]): SharedWork<void> {
    for (const [line, { productId, variantId, quantity, refunded = 0 }] of lines.entries()) {
      const values = { product: productId, variant: variantId, quantity, refunded }
      yield* run(statements.insertLine, { order, line, account, ...values })
    }
  }

  /** Changes an order that this transaction has locked. Records an event if anything has changed. */
  function* change(
    id: string,
    { lines, ...changes }: OrderChange,
    assetIds: string[],
  ): SharedWork<ChangedOrder> {
    const before = yield* getOrder(id)
    const newLines = lines && withRefunded(lines, before.lines)
    const over = newLines?.findIndex(({ quantity, refunded = 0 }) => refunded > quantity) ?? -1
    if (over >= 0) return { outcome: 'over_refunded', line: over }
    const unknown = yield* findUnknown(newLines ?? [], assetIds, before.lines)
    if (unknown !== undefined) return unknown
    // A new limit answers the buyer.
    const more = changes.maxDownloads === undefined ? before.more : null
    yield* run(statements.updateOrder, { id, ...toChangedColumns({ ...before, ...changes, more }) })
    if (before.isHeld && changes.isHeld === false) {
      yield* run(mails.hastenMailsOfOrder, { order: id, retry_for: RETRY_FOR_MS })
    }
    if (newLines !== undefined) {
      yield* run(statements.deleteLines, { id })
      yield* writeLines(id, newLines)
    }
    const attached =
      assetIds.length === 0 ? [] : yield* run(statements.attach, { order: id, ids: assetIds })
    const after = yield* getOrder(id)
    const isSame = attached.length === 0 && JSON.stringify(after) === JSON.stringify(before)
    return { outcome: 'changed', order: isSame ? before : yield* noteChange(id) }
  }

  function* noteChange(id: string, type: EventType = 'order.updated'): SharedWork<Order> {
    if (type === 'order.updated') yield* run(statements.touchOrder, { id })
    const order = yield* getOrder(id)
    yield* record(type, toEventOrder(order))
    return order
  }

  /** Runs the work on an order, which concurrent changes wait for. */
  function* onLocked<Result>(
    id: string,
    work: () => SharedWork<Result>,
  ): SharedWork<Result | { outcome: 'not_found' }> {
    const locked = yield* run(statements.lockOrder, { account, id })
    return locked === undefined ? { outcome: 'not_found' } : yield* work()
  }

  /** Changes the order with this reference; undefined if there is none. */
  function* changeKnown(order: NewOrder): SharedWork<PutOrder | undefined> {
    const { source, reference, assetIds } = order
    if (reference === null) return undefined
    const id = yield* run(statements.lockReference, { account, source, reference })
    if (id === undefined) return undefined
    const changed = (yield* change(id, changesOf(order), assetIds)) as PutOrder
    if (changed.outcome === 'changed') yield* addMail(id, order.mail)
    return changed
  }

  /** Tells the buyer, in the transaction that creates the order. */
  function* addMail(order: string, mail: NewMail | undefined): SharedWork<void> {
    if (mail === undefined) return
    const values = {
      ...toMailColumns(account, { ...mail, orderId: order }),
      retry_for: RETRY_FOR_MS,
    }
    yield* run(mails.insertMailOfOrder, values)
  }

  /** The events and counters of a download that counts. */
  function* countDownload({ order_id, asset_id, ...row }: FileStateRow): SharedWork<void> {
    yield* run(statements.countOfOrder, { order: order_id })
    const file = { assetId: asset_id, filename: row.filename ?? '', version: row.version ?? 1 }
    yield* record('order.downloaded', { ...toEventOrder(yield* getOrder(order_id)), file })
    const products = yield* run(statements.productsWith, { order: order_id, asset: asset_id })
    yield* run(statements.countDownload, { account, by: 'day', subject: '' })
    yield* run(statements.countDownload, { account, by: 'asset', subject: asset_id })
    for (const product of products) {
      yield* run(statements.countDownload, { account, by: 'product', subject: String(product) })
    }
  }

  /** Records the first refusal since the last download was opened. */
  function* noteLimit(row: FileStateRow): SharedWork<{ outcome: DownloadRefusal }> {
    const { order_id: order, asset_id: asset } = row
    if (yield* run(statements.noteRefusal, { order, asset })) {
      const file = { assetId: asset, filename: row.filename ?? '', version: row.version ?? 1 }
      yield* record('order.limit_reached', { ...toEventOrder(yield* getOrder(order)), file })
    }
    return { outcome: 'limit_reached' }
  }

  return {
    *putOrder(order: NewOrder): SharedWork<PutOrder> {
      const { id, assetIds, lines = [], createdAt } = order
      const known = yield* changeKnown(order)
      if (known !== undefined) return known
      const over = lines.findIndex(({ quantity, refunded = 0 }) => refunded > quantity)
      if (over >= 0) return { outcome: 'over_refunded', line: over }
      const unknown = yield* findUnknown(lines, assetIds)
      if (unknown !== undefined) return unknown
      const row = toOrderColumns(account, newOrder(order))
      if ((yield* run(statements.insertOrder, row)) === undefined) {
        // Another transaction has created it meanwhile.
        const created = yield* changeKnown(order)
        if (created === undefined) throw new Error(`the order ${id} was not stored`)
        return created
      }
      yield* writeLines(id, lines)
      if (assetIds.length > 0) yield* run(statements.attach, { order: id, ids: assetIds })
      yield* run(statements.countOrders, { account, added: 1 })
      const added = yield* noteChange(id, 'order.created')
      yield* addMail(id, order.mail)
      return { outcome: 'added', order: { ...added, createdAt } }
    },

    *requestMore(id: string, asset: string): SharedWork<boolean> {
      const locked = yield* run(statements.lockOrder, { account, id })
      const file = yield* run(mails.findFile, { account, asset })
      if (locked === undefined || file === undefined) return false
      const noted = yield* run(mails.requestMore, { account, id, asset })
      if (noted === undefined) return false
      yield* record('order.more_requested', { ...toEventOrder(yield* getOrder(id)), file })
      return true
    },

    changeOrder: (id: string, changes: OrderChange) => onLocked(id, () => change(id, changes, [])),

    *revokeOrder(id: string): SharedWork<boolean> {
      const locked = yield* run(statements.lockOrder, { account, id })
      if (locked === undefined) return false
      if ((yield* run(statements.revokeOrder, { id })) === undefined) return true
      // The job cancels those that wait because the order is held.
      yield* run(mails.hastenMailsOfOrder, { order: id, retry_for: RETRY_FOR_MS })
      yield* noteChange(id, 'order.revoked')
      return true
    },

    attachToOrder: (id: string, assetIds: string[], most: number) =>
      onLocked(id, function* (): SharedWork<ChangedOrder | { outcome: 'too_many' }> {
        const others = yield* run(statements.countAttached, { order: id, ids: assetIds })
        if ((others ?? 0) + assetIds.length > most) return { outcome: 'too_many' }
        return yield* change(id, {}, assetIds)
      }),

    detachFromOrder: (id: string, assetIds: string[]) =>
      onLocked(id, function* (): SharedWork<ChangedOrder> {
        const detached = yield* run(statements.detach, { order: id, ids: assetIds })
        const order = detached.length > 0 ? yield* noteChange(id) : yield* getOrder(id)
        return { outcome: 'changed', order }
      }),

    *openDownload(download: NewDownload): SharedWork<OpenedDownload> {
      const { id, orderId: order, assetId: asset, addressHash } = download
      const file = { account, order, asset }
      const before = yield* run(statements.findFileState, file)
      const joined = joinable(before)
      if (joined !== undefined) return joined
      const openUntil = yield* run(statements.openDownload, { ...file, id })
      // Read again: another call may have opened the download meanwhile.
      const row = yield* run(statements.findFileState, file)
      if (openUntil === undefined) {
        const result = joinable(row) ?? refusalOf(row)
        if (row === undefined || result.outcome !== 'limit_reached') return result
        return yield* noteLimit(row)
      }
      if (row === undefined) throw new Error(`the order ${order} was deleted`)
      const { version, filename, bytes } = row
      const facts = { assetId: asset, orderId: order, addressHash, starts: 0, cost: 1 }
      const entry = { id, version: version ?? 1, filename: filename ?? '', bytes: bytes ?? 0 }
      const columns = toDownloadColumns({ ...facts, ...entry, openedAt: new Date(0) })
      yield* run(statements.insertDownload, { ...columns, opened_at: null })
      yield* countDownload(row)
      return { outcome: 'open', id, openUntil, isNew: true }
    },

    *startDownload(id: string): SharedWork<ContinuedDownload> {
      const row = yield* run(statements.findDownloadState, { account, id })
      const open = continued(row)
      if (row === undefined || open.outcome !== 'open') return open
      const allowed = limitOf(row.max_downloads, row.copies)
      const starts = yield* run(statements.startDownload, { id, allowed })
      if (starts === undefined) return yield* noteLimit(row)
      const cost = starts > 1 && (starts - 1) % STARTS_PER_DOWNLOAD === 0 ? 1 : 0
      yield* run(statements.logStart, { id, cost })
      if (cost > 0) yield* countDownload(row)
      return open
    },

    *changeBranding(changes: Partial<Branding>): SharedWork<Branding> {
      yield* run(statements.lockAccount, { account })
      const before = yield* run(statements.findBranding, { account })
      const branding = { ...NO_BRANDING, ...before, ...changes }
      const { helpText: help_text, helpEmail: help_email, maxDownloads: max_downloads } = branding
      const { name, logo, color } = branding
      const values = { name, logo, color, help_text, help_email, max_downloads }
      yield* run(statements.putBranding, { account, ...values })
      return branding
    },

    *importOrders({
      orders = [],
      downloads = [],
      counts = [],
      branding,
    }: Parameters<OrderData['importOrders']>[0]): SharedWork<void> {
      let added = 0
      for (const { order, assetIds, files } of orders) {
        const id = yield* run(statements.insertOrder, toOrderColumns(account, order))
        if (id === undefined) continue
        added += 1
        yield* writeLines(order.id, order.lines)
        if (assetIds.length > 0) {
          const unknown = yield* run(statements.unknownAssets, { account, ids: assetIds })
          const ids = assetIds.filter((one) => !unknown.includes(one))
          yield* run(statements.attach, { order: order.id, ids })
        }
        for (const { assetId: asset, used, downloadId, openUntil, starts } of files) {
          const values = { used, download: downloadId, open_until: openUntil, starts }
          yield* run(statements.importFile, { order: order.id, asset, ...values })
        }
      }
      if (added > 0) yield* run(statements.countOrders, { account, added })
      for (const download of downloads) {
        yield* run(statements.insertDownload, toDownloadColumns(download))
      }
      for (const count of counts) yield* run(statements.importCount, { account, ...count })
      if (branding !== undefined) {
        const { helpText: help_text, helpEmail: help_email, maxDownloads: max_downloads } = branding
        const { name, logo, color } = branding
        const values = { name, logo, color, help_text, help_email, max_downloads }
        yield* run(statements.putBranding, { account, ...values })
      }
    },
  }
}

function isSameProduct(one: NewOrderLine, other: NewOrderLine): boolean {
  return one.productId === other.productId && one.variantId === other.variantId
}

/**
 * Without a refunded quantity, a line keeps that of the line with the same product. Several lines may have the same product: the
 * first one keeps that of the first, and so on.
 */
function withRefunded(
  lines: readonly NewOrderLine[],
  before: readonly NewOrderLine[],
): NewOrderLine[] {
  const others = [...before]
  return lines.map((line) => {
    const index = others.findIndex((one) => isSameProduct(one, line))
    const [same] = index < 0 ? [] : others.splice(index, 1)
    return { refunded: Math.min(same?.refunded ?? 0, line.quantity), ...line }
  })
}

function changesOf(order: NewOrder): OrderChange {
  const { id, source, reference, assetIds, sealedToken, tokenHash, createdAt, mail, ...changes } =
    order
  return changes
}

function newOrder(order: NewOrder): Order {
  const { assetIds, createdAt, mail, ...facts } = order
  return {
    accountId: '',
    number: null,
    email: null,
    name: null,
    locale: null,
    label: null,
    downloads: 0,
    maxDownloads: null,
    expiresAt: null,
    isHeld: false,
    isInline: false,
    orderedAt: createdAt,
    ...facts,
    lines: [],
    revokedAt: null,
    emailSentAt: null,
    createdAt,
    updatedAt: createdAt,
    more: null,
    status: 'active',
  }
}

/** An open download, if its order still allows it. */
export function continued(row: FileStateRow | undefined): ContinuedDownload {
  if (row === undefined || joinable(row) === undefined) return refusalOf(row, 'expired')
  return { outcome: 'open', assetId: row.asset_id }
}

/** The open download of a file, if its order still allows it. */
export function joinable(row: FileStateRow | undefined): OpenedDownload | undefined {
  if (row === undefined || statusOf(row) !== 'active' || row.copies === 0) return undefined
  if (!row.is_open || row.download_id === null || row.open_until === null) return undefined
  const openUntil = toDate(row.open_until)
  return { outcome: 'open', id: row.download_id, openUntil, isNew: false }
}

/** Why a file of an order cannot be downloaded. */
export function refusalOf(
  row: FileStateRow | undefined,
  otherwise: DownloadRefusal = 'limit_reached',
): { outcome: DownloadRefusal } {
  if (row === undefined) return { outcome: 'not_found' }
  const status = statusOf(row)
  if (status !== 'active') return { outcome: status }
  return { outcome: row.copies === 0 ? 'not_found' : otherwise }
}
