import { knownProducts } from '../../domain/known-products.ts'
import type { ProductSelection } from '../../domain/product.ts'
import type { Writer } from '../cache-account-data.ts'
import { prepareAttachments } from './attachments.ts'
import { prepareProductSelection } from './product-selection.ts'
import type { Connection } from './statement.ts'

/** Attaches a completed upload to the products of its upload token, in the caller's transaction. */
export function prepareTokenAttachments(connection: Connection) {
  const { attachAssets } = prepareAttachments(connection)
  const findProducts = prepareProductSelection(connection)
  const attachOf = connection.prepare<{ attach: string }>(
    'select attach from upload_tokens where id = :token and attach is not null',
  )
  return (writer: Writer, assetId: string, token: string): void => {
    const row = attachOf.get({ token })
    if (row === undefined) return
    const selection: ProductSelection = JSON.parse(row.attach)
    // Products that were deleted since the token was created are skipped.
    const known = knownProducts(selection, findProducts(writer.account, selection).unknown)
    if (known !== undefined) attachAssets(writer, [assetId], known)
  }
}
