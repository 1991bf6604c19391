import type { ProductDeletion } from '../bulk-data.ts'

/**
 * Runs the transactions that delete a product. A deletion that another call has finished meanwhile counts as that of this
 * call, if this one has begun it, too.
 */
export async function untilDeleted(next: () => Promise<ProductDeletion>): Promise<boolean> {
  let hasBegun = false
  for (;;) {
    const outcome = await next()
    if (outcome !== 'detached') return outcome === 'deleted' || hasBegun
    hasBegun = true
  }
}
