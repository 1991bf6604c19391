import type { Context } from '../../src/operations/context.ts'
import type { StorageUpload } from '../../src/storage/storage.ts'

const EVERYTHING = { page: 1, perPage: 1000 }

/**
 * The summary, assets, products, attachments, keys and open uploads of an account, without the times at which its keys
 * were last used.
 */
export async function readAccountState(context: Context, accountId: string) {
  return readAccount(context, accountId, await Array.fromAsync(context.storage.listUploads()))
}

async function readAccount({ database }: Context, accountId: string, open: StorageUpload[]) {
  const data = database.of(accountId)
  const sort = { by: 'created_at', descending: false } as const
  const assets = await data.listAssets({ ...EVERYTHING, sort })
  const products = await data.listProducts(EVERYTHING)
  const keys = await data.listKeys()
  const uploads = await Promise.all(open.map(({ key }) => data.findUpload(key)))
  return {
    summary: await data.readSummary(),
    assets,
    products,
    attachments: await data.productsOfAssets(
      assets.rows.map(({ id }) => id),
      100_000,
    ),
    keys: keys.map(({ lastUsedAt, ...key }) => key),
    // Uploads of other accounts are not found.
    uploads: uploads.filter((upload) => upload !== undefined),
  }
}

/** The state of all accounts, with their usage counters and the parts of open uploads. */
export async function readWholeState(context: Context) {
  const { database, storage } = context
  const accounts = await database.listAccounts()
  const open = await Array.fromAsync(storage.listUploads())
  return {
    usage: await database.compareUsage(),
    accounts: await Promise.all(accounts.map(({ id }) => readAccount(context, id, open))),
    parts: await Promise.all(open.map((upload) => storage.listParts(upload))),
  }
}
