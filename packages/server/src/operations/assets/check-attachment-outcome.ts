import type { AttachmentOutcome } from '../../database/account-data.ts'
import { invalid } from '../../errors.ts'
import { assetNotFound } from './asset-not-found.ts'

/** Refuses an unknown asset, or unknown products. Each field lists all of its unknown values. */
export function checkAttachmentOutcome(outcome: AttachmentOutcome): void {
  if (outcome.outcome === 'asset_not_found') throw assetNotFound()
  if (outcome.outcome !== 'products_not_found') return
  const { productIds, variantIds, ids: products, skus } = outcome.unknown
  const unknown = Object.entries({ productIds, variantIds, products, skus })
  const errors = unknown
    .filter(([, values]) => values.length > 0)
    .map(([field, values]) => [
      field,
      [`contains unknown values: ${[...new Set<string | number>(values)].join(', ')}`],
    ])
  throw invalid(Object.fromEntries(errors))
}
