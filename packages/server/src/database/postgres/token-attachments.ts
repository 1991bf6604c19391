import type { AssetStatus } from '../../domain/asset.ts'
import type { ProductSelection } from '../../domain/product.ts'
import type { Writer } from '../cache-account-data.ts'
import { attachmentSubjects, updateLinked } from './attachments.ts'
import { begin, type Sql } from './connection.ts'
import { lockProducts } from './product-selection.ts'
import { recordEvents } from './record-events.ts'

/**
 * Completes an upload of an upload token, and attaches the asset to the products of the token. Products that were
 * deleted since the token was created are skipped. Locks the products before the asset. Undefined if the upload is
 * no longer being completed.
 */
export function finishTokenUpload(
  sql: Sql,
  upload: Writer & { id: string; tokenId: string },
  finish: (transaction: Sql) => Promise<boolean>,
): Promise<AssetStatus | undefined> {
  const { id, account, actor, tokenId } = upload
  return begin(sql, async (transaction) => {
    const [token] = await transaction<{ attach: ProductSelection }[]>`
      select attach from upload_tokens where id = ${tokenId} and attach is not null`
    const products = token && (await lockProducts(transaction, account, token.attach))
    if (!(await finish(transaction))) return undefined
    if (products !== undefined && products.ids.length > 0) {
      const changed = transaction`
        insert into asset_products (asset_id, product_id)
        select ${id}, product_id from unnest(${products.ids}::uuid[]) product_id
        on conflict do nothing returning asset_id, product_id`
      const subjects = attachmentSubjects(transaction)
      await recordEvents(transaction, { type: 'asset.attached', actor, subjects, changed })
      await updateLinked(transaction, account, [id])
    }
    return 'ready'
  })
}
