import type { Product, ProductGroup, ProductReferences } from '@stowage/client'
import { countText } from '../format/count-text.ts'
import { productName } from './product-names.ts'

/** What people can pick: a variant, or all variants of a product. */
export interface ProductChoice {
  key: string
  label: string
  /** The ID of the variant in Stowage; undefined for all variants. */
  variantId: string | undefined
  productId: number
}

/** A product shows this many variants; others are found by typing. */
const MAX_VARIANTS = 6

/** “All variants” comes first. Of a product with many variants, those that match the search follow. */
export function choicesOf(group: ProductGroup, search: string): ProductChoice[] {
  const { variants, variants_total: total, name, vendor, product_id: productId } = group
  const suffix = vendor === '' ? '' : ` · ${vendor}`
  const choice = (variant: Product): ProductChoice => ({
    key: variant.id,
    label: productName(variant) + (variant.sku === '' ? '' : ` (${variant.sku})`) + suffix,
    variantId: variant.id,
    productId,
  })
  if (total === 1) return variants.map(choice)
  const all = {
    key: `all ${productId}`,
    label: `${name} · all ${countText(total, 'variant')}${suffix}`,
    variantId: undefined,
    productId,
  }
  const shown = total <= MAX_VARIANTS ? variants : variantsMatching(variants, search)
  return [all, ...shown.slice(0, MAX_VARIANTS).map(choice)]
}

/** Those that have all words of the search, if the product itself does not. */
function variantsMatching(variants: readonly Product[], search: string): Product[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return variants.filter(({ name, vendor, variant_name, sku }) => {
    const ofProduct = `${name} ${vendor}`.toLowerCase()
    const all = `${ofProduct} ${variant_name} ${sku}`.toLowerCase()
    const isOfProduct = words.every((word) => ofProduct.includes(word))
    return !isOfProduct && words.every((word) => all.includes(word))
  })
}

export function referencesOf(choices: readonly ProductChoice[]): ProductReferences {
  const variants = choices.flatMap(({ variantId }) => variantId ?? [])
  const products = choices.filter(({ variantId }) => variantId === undefined)
  return {
    ...(variants.length > 0 && { products: variants }),
    ...(products.length > 0 && { product_ids: products.map(({ productId }) => productId) }),
  }
}
