import type { ProductDetails } from '@stowage/protocol'

/** The variants of all products. Each product has two. */
export const VARIANTS = [1, 2, 3, 4]

const NAMES: Record<number, string> = { 1: 'Pack of dusty loops', 2: 'Drum kit' }

/** The product of a variant, except its vendor, which changes. */
export function detailsOf(variant: number) {
  const productId = productOf(variant)
  return {
    product_id: productId,
    variant_id: variant,
    name: NAMES[productId] ?? '',
    variant_name: variant % 2 === 1 ? 'WAV' : 'MP3',
    sku: skuOf(variant),
  } satisfies ProductDetails
}

export function productOf(variant: number): number {
  return Math.ceil(variant / 2)
}

export function skuOf(variant: number): string {
  return `SKU-${variant}`
}
