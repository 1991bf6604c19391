import { knownProducts } from '../../domain/known-products.ts'
import type { ProductSelection } from '../../domain/product.ts'
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
  return (account: string, assetId: string, token: string): void => {
    const row = attachOf.get({ token })
    if (row === undefined) return
    const selection: ProductSelection = JSON.parse(row.attach)
    // Products that were deleted since the token was created are skipped.
    const known = knownProducts(selection, findProducts(account, selection).unknown)
    if (known !== undefined) attachAssets(account, [assetId], known)
  }
}
