import type { Product, ProductGroup, ProductReferences } from '@stowage/client'
import { changes as catalog } from '../i18n/en/changes.ts'
import { plural } from '../i18n/texts.ts'

/** A choice in the picker: a variant, or all variants of a product. */
export interface ProductChoice {
  key: string
  /** The texts, in the order in which they are read. */
  texts: ChoiceTexts
  /** The ID of the variant in Stowage; undefined for all variants. */
  variantId: string | undefined
  productId: number
}

export interface ChoiceTexts {
  product: string
  /** The name of a variant, or a text about several variants. Empty for an unnamed variant and for a whole product. */
  variant: string
  /** The SKU and the vendor. */
  details: readonly string[]
}

/** In a list of products, each shows at most this many variants. */
export const MAX_SHOWN_VARIANTS = 6

export function allVariantsOf(
  group: Pick<ProductGroup, 'variants_total' | 'name' | 'vendor' | 'product_id'>,
): ProductChoice {
  const { variants_total: total, name, vendor, product_id: productId } = group
  return {
    key: `all ${productId}`,
    texts: {
      product: name,
      variant: plural(catalog.allVariants, total),
      details: [vendor].filter(Boolean),
    },
    variantId: undefined,
    productId,
  }
}

/** A product as a whole, where its variants do not matter. */
export function wholeProduct(group: ProductGroup): ProductChoice {
  const { texts, ...choice } = allVariantsOf(group)
  return { ...choice, texts: { ...texts, variant: '' } }
}

export function choiceOf(variant: Product): ProductChoice {
  const { id, name, variant_name, sku, vendor, product_id: productId } = variant
  const details = [sku, vendor].filter(Boolean)
  return {
    key: id,
    texts: { product: name, variant: variant_name, details },
    variantId: id,
    productId,
  }
}

/** In one line: `Drum machine · Large · DM-2 · Sounds`. */
export function labelOf({ product, variant, details }: ChoiceTexts): string {
  return [product, variant, ...details].filter(Boolean).join(' · ')
}

/**
 * The variants of a product in a list of products. If the product has more than `MAX_SHOWN_VARIANTS`, these are only
 * the first ones that match the search, and none if the product itself matches it.
 */
export function shownVariantsOf(group: ProductGroup, search: string): readonly Product[] {
  const { variants, variants_total: total } = group
  if (total <= MAX_SHOWN_VARIANTS) return variants
  if (isFoundByProduct(group, search)) return []
  return variants.filter((variant) => hasWords(variant, search)).slice(0, MAX_SHOWN_VARIANTS)
}

/** Whether the name and the vendor of the product contain all words of the search, so that no variant is needed. */
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

type SearchedTexts = Pick<Product, 'name' | 'vendor'> &
  Partial<Pick<Product, 'variant_name' | 'sku'>>

/** Whether every word of the search is in the name, the variant name, the SKU or the vendor, as in the service. */
export function hasWords(product: SearchedTexts, search: string): boolean {
  const { name, vendor, variant_name = '', sku = '' } = product
  return textHasWords(`${name} ${vendor} ${variant_name} ${sku}`, search)
}

export function textHasWords(text: string, search: string): boolean {
  const lower = text.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word))
}
