import type { MailData } from '../mail-data.ts'
import { MAX_ASSET_DOWNLOADS, type OrderData } from '../order-data.ts'
import type { Statement, Values } from './dialect.ts'
import { continued, joinable, orderWork, refusalOf } from './order-work.ts'
import { groupByOwner } from './product-rows.ts'
import { toAsset } from './rows.ts'
import type { Statements } from './statements.ts'
import type { SharedWork } from './steps.ts'

/** How the statements of an account run. */
export interface Runners {
  ask<Given extends Values, Result>(
    statement: Statement<Given, Result>,
    values: Given,
  ): Promise<Result>
  write<Result>(work: () => SharedWork<Result>): Promise<Result>
  /** Also works on a full disk. */
  free<Result>(work: () => SharedWork<Result>): Promise<Result>
}

/** The methods of orders that are the same in both engines. */
export function wireOrders(
  all: Statements,
  account: string,
  { ask, write, free }: Runners,
): Omit<OrderData, 'listOrders'> & Pick<MailData, 'requestMore'> {
  const { orders: statements } = all
  const work = orderWork(all, account)
  return {
    putOrder: (order) => write(() => work.putOrder(order)),
    findOrder: (key) => ask(statements.findOrder, { account, ...key }),
    async assetsOfOrders(ids) {
      return groupByOwner(await ask(statements.assetsOfOrders, { account, ids }), toAsset)
    },
    requestMore: (id, asset) => write(() => work.requestMore(id, asset)),
    changeOrder: (id, change) => write(() => work.changeOrder(id, change)),
    revokeOrder: (id) => free(() => work.revokeOrder(id)),
    attachToOrder: (id, ids, most) => write(() => work.attachToOrder(id, ids, most)),
    detachFromOrder: (id, ids) => write(() => work.detachFromOrder(id, ids)),
    listCoveredFiles: (order, limit) => ask(statements.coveredFiles, { account, order, limit }),
    countCopies: async (order, asset) =>
      (await ask(statements.findFileState, { account, order, asset }))?.copies ?? 0,
    async openDownload(download) {
      // Most starts join an open download, or are refused: a read needs no transaction, and waits for no lock.
      const { orderId: order, assetId: asset } = download
      const row = await ask(statements.findFileState, { account, order, asset })
      const result = joinable(row) ?? refusalOf(row)
      return result.outcome === 'limit_reached' ? write(() => work.openDownload(download)) : result
    },
    async continueDownload(id, isStart) {
      if (isStart) return write(() => work.startDownload(id))
      const row = await ask(statements.findDownloadState, { account, id })
      return continued(row)
    },
    async listDownloads(order, { page, perPage, after }) {
      const total = (await ask(statements.countLog, { account, order })) ?? 0
      const offset = after === undefined ? Math.min((page - 1) * perPage, total) : 0
      const range = { after: after?.id ?? null, limit: perPage, offset }
      return { rows: await ask(statements.listLog, { account, order, ...range }), total }
    },
    async listDownloadsOfAsset(asset, { page, perPage, after }) {
      const most = MAX_ASSET_DOWNLOADS
      const total = (await ask(statements.countLogOfAsset, { account, asset, most })) ?? 0
      const offset = after === undefined ? Math.min((page - 1) * perPage, total) : 0
      const limit = after === undefined ? Math.min(perPage, total - offset) : perPage
      const range = { after: after?.id ?? null, limit, offset }
      return { rows: await ask(statements.listLogOfAsset, { account, asset, ...range }), total }
    },
    async namesOfAssets(ids) {
      return new Map(await ask(statements.namesOfAssets, { account, ids }))
    },
    readDownloadTotals: ({ by, asset, ...range }) =>
      asset !== undefined
        ? ask(statements.totalsOfAsset, { account, asset, ...range })
        : by === 'day'
          ? ask(statements.totalsByDay, { account, ...range })
          : ask(statements.totalsBy, { account, by, ...range }),
    findBranding: () => ask(statements.findBranding, { account }),
    changeBranding: (change) => write(() => work.changeBranding(change)),
    importOrders: (imported) => write(() => work.importOrders(imported)),
  }
}
