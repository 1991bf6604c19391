import { openOrderToken, sealOrderToken } from '../crypto/secret-key.ts'
import type { AccountData } from '../database/account-data.ts'
import type { DownloadCount } from '../database/order-data.ts'
import type { Order } from '../domain/order.ts'
import type { Destinations } from './copy-accounts.ts'
import type { Databases } from './move.ts'

/** How many orders are read at a time, with their lines and files. */
const ORDERS = 100
const DOWNLOADS = 500
const COUNTS = 1000

/**
 * Copies the orders with the URLs of their download pages, what their buyers have downloaded, and the branding. A running
 * download ends, and continues when the buyer presses the button again, at no cost.
 */
export async function copyOrders(
  move: Databases,
  { accounts }: Pick<Destinations, 'accounts'>,
): Promise<void> {
  const { database } = move.source
  for (const [accountId, { id, data }] of accounts) {
    const from = database.of(accountId)
    for (let after: string | undefined; ; ) {
      const records = await database.listOrderRecords(accountId, after, ORDERS)
      const orders = records.map((record) => {
        const sealedToken = sealForTarget(move, record.order, id)
        return { ...record, order: { ...record.order, accountId: id, sealedToken } }
      })
      await data.importOrders({ orders })
      for (const { order } of orders) await copyDownloads(from, data, order.id)
      after = records.at(-1)?.order.id
      if (records.length < ORDERS) break
    }
    for (let after: DownloadCount | undefined; ; ) {
      const counts = await database.listDownloadCounts(accountId, after, COUNTS)
      await data.importOrders({ counts })
      after = counts.at(-1)
      if (counts.length < COUNTS) break
    }
    const branding = await from.findBranding()
    if (branding !== undefined) await data.importOrders({ branding })
  }
}

/** The page keeps its URL. If the source's key is lost, nobody can show it again, but it still works. */
function sealForTarget({ source, target }: Databases, order: Order, accountId: string): string {
  const token = source.secretKey && openOrderToken(source.secretKey, order)
  if (token === undefined || target.secretKey === undefined) return order.sealedToken
  return sealOrderToken(target.secretKey, { id: order.id, accountId }, token)
}

async function copyDownloads(from: AccountData, to: AccountData, orderId: string): Promise<void> {
  for (let page = 1; ; page += 1) {
    const { rows: downloads } = await from.listDownloads(orderId, { page, perPage: DOWNLOADS })
    if (downloads.length > 0) await to.importOrders({ downloads })
    if (downloads.length < DOWNLOADS) return
  }
}
