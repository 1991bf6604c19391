import { walkRecords } from '../database/walk-database.ts'
import { inBatches } from '../iterables/sequences.ts'
import { copyAccounts, copyEvents, copyFileOrders, copyWebhooks } from './copy-accounts.ts'
import { copyMails } from './copy-mails.ts'
import { copyOrders } from './copy-orders.ts'
import type { Databases } from './move.ts'

/** How many assets are written in one transaction. */
const GROUP = 500

/**
 * Copies all rows that a move copies into an empty database, without files. Accounts and products keep their IDs, and
 * secrets stay encrypted with the same key.
 */
export async function copyRows(
  {
    source,
    target,
  }: {
    source: Pick<Databases['source'], 'database'>
    target: Pick<Databases['target'], 'database'>
  },
  onAssets: (count: number) => void,
): Promise<void> {
  const databases: Databases = {
    source: { ...source, secretKey: undefined },
    target: { ...target, secretKey: undefined },
  }
  const destinations = await copyAccounts(databases)
  for await (const group of inBatches(walkRecords(source.database), GROUP)) {
    for (const [accountId, records] of Map.groupBy(group, ({ asset }) => asset.accountId)) {
      const assets = records.map(({ productIds, ...record }) => {
        return {
          ...record,
          productIds: productIds.map((id) => destinations.products.get(id) ?? id),
        }
      })
      await target.database.of(accountId).importRecords({ keys: [], assets })
    }
    onAssets(group.length)
  }
  await copyFileOrders(databases, destinations)
  await copyEvents(databases, destinations)
  await copyWebhooks(databases, destinations)
  await copyOrders(databases, destinations)
  await copyMails(databases, destinations)
}
