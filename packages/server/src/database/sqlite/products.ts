import type { NewProduct, Product } from '../../domain/product.ts'
import { foldText } from '../../domain/search-text.ts'
import { PRODUCT_COLUMNS, type ProductRow, toProduct } from './product-rows.ts'
import type { Connection } from './statement.ts'

export function prepareProducts({ prepare, transaction }: Connection) {
  const put = prepare<ProductRow>(
    `insert into products (id, account_id, product_id, variant_id, name, variant_name, sku, vendor,
       tags, search_name, search_vendor)
     values (:id, :account, :product_id, :variant_id, :name, :variant_name, :sku, :vendor, :tags,
       :search_name, :search_vendor)
     on conflict (account_id, product_id, variant_id) do update set
       name = excluded.name, variant_name = excluded.variant_name, sku = excluded.sku,
       vendor = excluded.vendor, tags = excluded.tags, search_name = excluded.search_name,
       search_vendor = excluded.search_vendor
     returning ${PRODUCT_COLUMNS}`,
  )
  const indexName = prepare(
    'insert or replace into product_names (rowid, search_name) values (:seq, :search_name)',
  )
  const clearTags = prepare('delete from product_tags where product_seq = :seq')
  const addTags = prepare(
    `insert or ignore into product_tags (product_seq, account_id, tag)
     select :seq, :account, value from json_each(:tags)`,
  )
  const byId = prepare<ProductRow>(
    `select ${PRODUCT_COLUMNS} from products where id = :id and account_id = :account`,
  )
  const linkedAssets = prepare<{ asset_seq: number }>(
    `select l.asset_seq from products p join asset_products l on l.product_seq = p.seq
     where p.id = :id and p.account_id = :account`,
  )
  const remove = prepare<{ seq: number }>(
    'delete from products where id = :id and account_id = :account returning seq',
  )
  const unindexName = prepare('delete from product_names where rowid = :seq')
  const markUnlinked = prepare(
    `update assets set linked = 0 where seq in (select value from json_each(:seqs))
     and not exists (select 1 from asset_products where asset_seq = assets.seq)`,
  )

  function putOne(account: string, product: NewProduct): Product {
    const search_name = foldText(`${product.name} ${product.variantName}`)
    const row = put.get({
      id: product.id,
      account,
      product_id: product.productId,
      variant_id: product.variantId,
      name: product.name,
      variant_name: product.variantName,
      sku: product.sku,
      vendor: product.vendor,
      tags: JSON.stringify(product.tags),
      search_name,
      search_vendor: foldText(product.vendor),
    })
    if (row === undefined) throw new Error('the product was not stored')
    indexName.run({ seq: row.seq, search_name })
    clearTags.run({ seq: row.seq })
    addTags.run({ account, seq: row.seq, tags: JSON.stringify(product.tags.map(foldText)) })
    return toProduct(row)
  }

  return {
    putProducts(account: string, products: NewProduct[]): Product[] {
      return transaction(() => products.map((product) => putOne(account, product)))
    },

    findProduct(account: string, id: string): Product | undefined {
      const row = byId.get({ account, id })
      return row && toProduct(row)
    },

    deleteProduct(account: string, id: string): boolean {
      return transaction(() => {
        const linked = linkedAssets.all({ account, id })
        const row = remove.get({ account, id })
        if (row === undefined) return false
        unindexName.run({ seq: row.seq })
        markUnlinked.run({ seqs: JSON.stringify(linked.map(({ asset_seq }) => asset_seq)) })
        return true
      })
    },
  }
}
