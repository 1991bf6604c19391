import type { AccountData } from '../database/account-data.ts'
import type { Product } from '../domain/product.ts'
import type { Move } from './move.ts'

const PAGE = 1000

/** The accounts and products in the target that correspond to those of the source. */
export interface Destinations {
  /** By the account's ID in the source. */
  accounts: Map<string, { id: string; data: AccountData }>
  /** The product's ID in the target, by its ID in the source. */
  products: Map<string, string>
}

/** Accounts are matched by name, products by the shop's product and variant IDs. */
export async function copyAccounts({ source, target }: Move): Promise<Destinations> {
  const destinations: Destinations = { accounts: new Map(), products: new Map() }
  for (const account of await source.database.listAccounts()) {
    const { id } = await target.database.ensureAccount(account)
    await target.database.changePlan(id, { name: account.planName, storage: account.planStorage })
    const data = target.database.of(id)
    destinations.accounts.set(account.id, { id, data })
    const from = source.database.of(account.id)
    const keys = (await from.listKeys()).map((key) => ({ ...key, accountId: id }))
    for (let start = 0; start < keys.length; start += PAGE) {
      await data.importRecords({ keys: keys.slice(start, start + PAGE), assets: [] })
    }
    const deletion = await from.findTrashAll()
    if (deletion !== undefined) await data.importTrashAll(deletion)
    for await (const products of productPages(from)) {
      const put = await data.putProducts(products, { isCopy: true })
      products.forEach((product, index) => {
        destinations.products.set(product.id, put[index]?.id ?? '')
      })
    }
  }
  return destinations
}

async function* productPages(data: AccountData): AsyncIterable<Product[]> {
  for (let page = 1; ; page += 1) {
    const { rows } = await data.listProducts({ page, perPage: PAGE })
    if (rows.length > 0) yield rows
    if (rows.length < PAGE) return
  }
}
