import type { AttachmentOutcome } from '../../database/account-data.ts'
import { unknownProducts } from '../products/unknown-products.ts'
import { assetNotFound } from './asset-not-found.ts'

/** Refuses an unknown asset, or unknown products. */
export function checkAttachmentOutcome(outcome: AttachmentOutcome): void {
  if (outcome.outcome === 'asset_not_found') throw assetNotFound()
  if (outcome.outcome === 'products_not_found') throw unknownProducts(outcome.unknown)
}
