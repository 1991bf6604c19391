import type {
  CallSettings,
  NodeClient,
  Product,
  ProductGroup,
  ProductReferences,
} from '@stowage/client/node'
import { sanitize } from '../text/sanitize.ts'

/** How many products an error message names. */
const MAX_NAMES = 5

export type SearchOutcome =
  | { outcome: 'found'; references: ProductReferences; label: string }
  | { outcome: 'ambiguous'; problem: string }
  | { outcome: 'nothing' }

/**
 * Finds the variants that have all words in their name, variant name, SKU or vendor. They must belong to one
 * product.
 */
export async function searchProducts(
  { client, settings }: { client: NodeClient; settings: CallSettings },
  words: string,
): Promise<SearchOutcome> {
  if (words.trim() === '') return { outcome: 'nothing' }
  const query = { search: words, ...settings }
  const { data, meta } = await client.productGroups({ ...query, limit: MAX_NAMES }).page()
  const [product] = data
  if (product === undefined) return { outcome: 'nothing' }
  if (meta.total > 1) {
    const names = data.map(({ name }) => `“${sanitize(name)}”`).join(', ')
    const more = meta.total > data.length ? ` and ${meta.total - data.length} more` : ''
    const problem = `${sanitize(words)} matches ${meta.total} products: ${names}${more}. Pass more words, a SKU or an ID.`
    return { outcome: 'ambiguous', problem }
  }
  const variants: Product[] = await Array.fromAsync(client.products(query))
  const isAll = variants.length === product.variants_total
  return {
    outcome: 'found',
    references: isAll
      ? { product_ids: [product.product_id] }
      : { products: variants.map(({ id }) => id) },
    label: labelOf(product, variants),
  }
}

/** `Sample pack (all 3 variants)`. */
function labelOf({ name, variants_total }: ProductGroup, variants: Product[]): string {
  const [first] = variants
  if (variants_total === 1) return sanitize(name)
  if (variants.length === variants_total)
    return sanitize(`${name} (all ${variants_total} variants)`)
  if (variants.length === 1) return sanitize(`${name}, ${first?.variant_name}`)
  return sanitize(`${name} (${variants.length} of ${variants_total} variants)`)
}
