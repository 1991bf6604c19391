import type { Product, ProductGroup, ProductReferences } from '@stowage/client'
import { countText } from '../format/count-text.ts'
import { hasWords } from './has-words.ts'
import { productName } from './product-names.ts'

/** What people can pick: a variant, or all variants of a product. */
export interface ProductChoice {
  key: string
  label: string
  /** The ID of the variant in Stowage; undefined for all variants. */
  variantId: string | undefined
  productId: number
}

/** In a list of products, each shows this many variants. */
export const MAX_SHOWN_VARIANTS = 6

export function allVariantsOf(group: ProductGroup): ProductChoice {
  const { variants_total: total, name, product_id: productId } = group
  return {
    key: `all ${productId}`,
    label: `${name} · all ${countText(total, 'variant')}${vendorOf(group)}`,
    variantId: undefined,
    productId,
  }
}

export function choiceOf(variant: Product): ProductChoice {
  const sku = variant.sku === '' ? '' : ` (${variant.sku})`
  return {
    key: variant.id,
    label: productName(variant) + sku + vendorOf(variant),
    variantId: variant.id,
    productId: variant.product_id,
  }
}

function vendorOf({ vendor }: { vendor: string }): string {
  return vendor === '' ? '' : ` · ${vendor}`
}

/** The variants of a product in a list of products. Of many variants, only those that match the search. */
export function shownVariantsOf(group: ProductGroup, search: string): readonly Product[] {
  const { variants, variants_total: total } = group
  if (total <= MAX_SHOWN_VARIANTS) return variants
  if (isFoundByProduct(group, search)) return []
  return variants.filter((variant) => hasWords(variant, search)).slice(0, MAX_SHOWN_VARIANTS)
}

/** The search names the product, not some of its variants. */
export function isFoundByProduct({ name, vendor }: ProductGroup, search: string): boolean {
  return hasWords({ name, vendor }, search)
}

export function referencesOf(choices: readonly ProductChoice[]): ProductReferences {
  const variants = choices.flatMap(({ variantId }) => variantId ?? [])
  const products = choices.filter(({ variantId }) => variantId === undefined)
  return {
    ...(variants.length > 0 && { products: variants }),
    ...(products.length > 0 && { product_ids: products.map(({ productId }) => productId) }),
  }
}
