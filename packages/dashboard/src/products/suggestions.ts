import type { Asset, ProductGroup } from '@stowage/client'
import { wordsOf } from '../assets/match-products.ts'

/**
 * Sorts the assets by how well their names match the product: those with a whole SKU first, then those with the most
 * words of its name. The order of all others stays.
 */
export function sortByMatch(assets: readonly Asset[], product: ProductGroup): Asset[] {
  const words = [...new Set(wordsOf(product.name))]
  const skus = product.variants.map(({ sku }) => wordsOf(sku).join(' ')).filter(Boolean)
  const scoreOf = ({ filename }: Asset) => {
    const text = ` ${wordsOf(filename).join(' ')} `
    const hasSku = skus.some((sku) => text.includes(` ${sku} `))
    return (
      words.filter((word) => text.includes(` ${word} `)).length + (hasSku ? words.length + 1 : 0)
    )
  }
  const scores = new Map(assets.map((asset) => [asset, scoreOf(asset)]))
  return assets.toSorted((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0))
}
