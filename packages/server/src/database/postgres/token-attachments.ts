import type { AssetStatus } from '../../domain/asset.ts'
import type { ProductSelection } from '../../domain/product.ts'
import { updateLinked } from './attachments.ts'
import { begin, type Sql } from './connection.ts'
import { lockProducts } from './product-selection.ts'

/**
 * Completes an upload of an upload token, and attaches the asset to the products of the token. Products that were
 * deleted since the token was created are skipped. Locks the products before the asset. Undefined if the upload is
 * no longer being completed.
 */
export function finishTokenUpload(
  sql: Sql,
  upload: { id: string; account: string; tokenId: string },
  finish: (transaction: Sql) => Promise<boolean>,
): Promise<AssetStatus | undefined> {
  const { id, account, tokenId } = upload
  return begin(sql, async (transaction) => {
    const [token] = await transaction<{ attach: ProductSelection }[]>`
      select attach from upload_tokens where id = ${tokenId} and attach is not null`
    const products = token && (await lockProducts(transaction, account, token.attach))
    if (!(await finish(transaction))) return undefined
    if (products !== undefined && products.ids.length > 0) {
      await transaction`
        insert into asset_products (asset_id, product_id)
        select ${id}, product_id from unnest(${products.ids}::uuid[]) product_id
        on conflict do nothing`
      await updateLinked(transaction, account, [id])
    }
    return 'ready'
  })
}
