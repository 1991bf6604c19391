import type { ProductDetails } from '@stowage/protocol'
import { collectCsvProducts } from './csv-products.ts'
import { type ProductFields, readProduct } from './file-product.ts'
import { collectJsonProducts } from './json-products.ts'

export interface ProductsFile {
  format: 'csv' | 'json'
  /** All that can be sent to `putProducts`, up to 1,000 a call; no two are the same variant. */
  products: LocatedProduct[]
  problems: ProductsFileProblem[]
}

export interface LocatedProduct {
  /** Of CSV the line where it begins, the header being 1; of JSON its number in the list, from 1. */
  line: number
  details: ProductDetails
}

export interface ProductsFileProblem {
  line: number
  /** Left out where the whole line or the whole file is meant. */
  field?: keyof ProductDetails
  message: string
}

export interface Collector {
  add(line: number, fields: Partial<ProductFields>): void
  refuse(line: number, message: string): void
}

const NOT_TEXT =
  'The file is not UTF-8 text. In a spreadsheet, save it as “CSV UTF-8”; a workbook (.xlsx) can’t be read.'

/**
 * Reads products from CSV (our own columns, Shopify's, Matrixify's) or JSON (our own, Shopify's
 * products.json). It never throws: what can't be sent is told in `problems`, and the rest is given.
 */
export function parseProductsFile(file: string | Uint8Array): ProductsFile {
  const products: LocatedProduct[] = []
  const problems: ProductsFileProblem[] = []
  const seen = new Map<string, number>()
  const text = typeof file === 'string' ? file.replace(/^\uFEFF/, '') : decode(file)
  const format = /^\s*[[{]/.test(text ?? '') ? 'json' : 'csv'

  const collect: Collector = {
    refuse: (line, message) => problems.push({ line, message }),
    add(line, fields) {
      const { product_id, variant_id, name } = fields
      const result = readProduct({ ...fields, product_id, variant_id, name })
      if ('problems' in result) {
        problems.push(...result.problems.map((problem) => ({ line, ...problem })))
        return
      }
      const { product: details } = result
      const key = variantKey(details)
      const earlier = seen.get(key)
      if (earlier !== undefined) {
        const place = format === 'csv' ? `line ${earlier}` : `number ${earlier}`
        collect.refuse(line, `is the same product and variant as ${place}`)
        return
      }
      seen.set(key, line)
      products.push({ line, details })
    },
  }

  if (text === undefined || text.includes('\0')) collect.refuse(1, NOT_TEXT)
  else if (format === 'json') collectJsonProducts(text, collect)
  else collectCsvProducts(text, collect)
  if (products.length === 0 && problems.length === 0) {
    collect.refuse(1, 'There are no products in the file.')
  }
  return { format, products, problems }
}

/** What makes a product the same product: the service keeps one of each. */
export function variantKey(product: Pick<ProductDetails, 'product_id' | 'variant_id'>): string {
  return `${product.product_id} ${product.variant_id}`
}

function decode(bytes: Uint8Array): string | undefined {
  // Some spreadsheets' “Unicode text”.
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  try {
    return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
