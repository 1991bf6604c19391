import type { Product, ProductDetails } from '@stowage/protocol'
import { readProduct } from './file-product.ts'
import { type Collector, collectCsvProducts, collectJsonProducts } from './formats.ts'

/** The result of `parseProductsFile`. */
export interface ProductsFile {
  /** The format of the file. */
  format: 'csv' | 'json'
  /** The valid products, for `putProducts` with up to 1,000 per call. No variant occurs twice. */
  products: LocatedProduct[]
  /** Everything that cannot be imported. */
  problems: ProductsFileProblem[]
  /** The columns of a CSV file that are not imported, as its header names them. */
  ignoredColumns: string[]
}

/** A product and its position in the file. */
export interface LocatedProduct {
  /** In CSV, the line where the product starts; the header is line 1. In JSON, its index, from 1. */
  line: number
  /** The product as `putProducts` takes it. */
  details: ProductDetails
}

/** A problem and its position in the file. */
export interface ProductsFileProblem {
  /** In CSV, the line; in JSON, the index of the product, from 1. */
  line: number
  /** Omitted if the problem concerns the whole line or file. */
  field?: keyof ProductDetails
  /** The column of the field, as the header of a CSV file names it. */
  column?: string
  /** The invalid value in the file, truncated to 100 characters. Omitted if there is no field. */
  value?: string
  /** The problem: a sentence or, if `field` is set, a text that follows the name of the field, such as “must be a string”. */
  message: string
}

const NOT_TEXT =
  'The file is not UTF-8 text. In a spreadsheet, save it as “CSV UTF-8”; a workbook (.xlsx) cannot be read.'

/**
 * Reads products from CSV (with the columns of Stowage, Shopify or Matrixify) or JSON (of Stowage, or
 * Shopify's products.json). Never throws: everything that cannot be imported is in `problems`.
 */
export function parseProductsFile(file: string | Uint8Array): ProductsFile {
  const products: LocatedProduct[] = []
  const problems: ProductsFileProblem[] = []
  const ignoredColumns: string[] = []
  const seen = new Map<string, number>()
  let columns: Parameters<Collector['nameColumns']>[0] = {}
  const text = typeof file === 'string' ? file.replace(/^\uFEFF/, '') : decode(file)
  const format = /^\s*[[{]/.test(text ?? '') ? 'json' : 'csv'

  const collect: Collector = {
    refuse: (line, message) => problems.push({ line, message }),
    nameColumns: (titles) => {
      columns = titles
    },
    ignoreColumns: (names) => ignoredColumns.push(...names),
    add(line, fields) {
      const result = readProduct({ ...fields, name: fields.name })
      if ('problems' in result) {
        for (const problem of result.problems) {
          const column = columns[problem.field]
          problems.push({ line, ...problem, ...(column !== undefined && { column }) })
        }
        return
      }
      const { product: details } = result
      const key = variantKey(details)
      const earlier = seen.get(key)
      if (earlier !== undefined) {
        const position = format === 'csv' ? `line ${earlier}` : `entry ${earlier}`
        collect.refuse(line, `The product and variant are the same as in ${position}.`)
        return
      }
      seen.set(key, line)
      products.push({ line, details })
    },
  }

  if (text === undefined || text.includes('\0')) collect.refuse(1, NOT_TEXT)
  else if (format === 'json') collectJsonProducts(text, collect)
  else collectCsvProducts(text, collect)
  identifyByHandle(products)
  if (products.length === 0 && problems.length === 0) {
    collect.refuse(1, 'The file contains no products.')
  }
  return { format, products, problems, ignoredColumns }
}

/** The service has one product for each of these. */
function variantKey({ product_id, variant_id, handle, variant_name }: ProductDetails): string {
  return product_id === undefined
    ? JSON.stringify([handle, variant_name ?? ''])
    : `${product_id} ${variant_id}`
}

/** Products without IDs are found by their SKUs, unless several in the file have the same one. */
function identifyByHandle(products: LocatedProduct[]): void {
  const withoutIds = products.filter(({ details }) => details.product_id === undefined)
  const counts = new Map<string, number>()
  for (const { details } of withoutIds) {
    if (details.sku) counts.set(details.sku, (counts.get(details.sku) ?? 0) + 1)
  }
  for (const { details } of withoutIds) {
    if (details.sku && (counts.get(details.sku) ?? 0) > 1) details.match_by = 'handle'
  }
}

function decode(bytes: Uint8Array): string | undefined {
  // Some spreadsheets export UTF-16 as “Unicode text”.
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  try {
    return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** A field that `compareProducts` compares. */
export type ComparedField = 'name' | 'variant_name' | 'sku' | 'vendor' | 'tags'

/** A changed field, with its values as text. */
export interface FieldChange {
  /** The field. */
  field: ComparedField
  /** The stored value. */
  before: string
  /** The value in the file. */
  after: string
}

/** A product of the file, compared with the stored one. */
export interface ComparedProduct extends LocatedProduct {
  /** What `putProducts` would do with it. */
  outcome: 'new' | 'changed' | 'unchanged'
  /** The stored product; missing if the outcome is `new`. */
  stored?: Product
  /** The changed fields; empty unless the outcome is `changed`. */
  changes: FieldChange[]
}

const COMPARED_FIELDS: ComparedField[] = ['name', 'variant_name', 'sku', 'vendor', 'tags']

/**
 * Compares products of a file with stored ones, and returns what `putProducts` would change. A field that
 * is missing in the file keeps its stored value, so it is no change. Products without IDs are compared with the one that has
 * their SKU; if there is none, with one that has their name and variant name, and no IDs of the shop yet.
 */
export function compareProducts(
  products: LocatedProduct[],
  existing: Iterable<Product>,
): ComparedProduct[] {
  const findStored = indexStored([...existing])
  return products.map((product) => {
    const before = findStored(product.details)
    if (before === undefined) return { ...product, outcome: 'new', changes: [] }
    const changes = COMPARED_FIELDS.filter((field) => product.details[field] !== undefined)
      .map((field) => ({
        field,
        before: textOf(before, field),
        after: textOf(product.details, field),
      }))
      .filter((change) => change.before !== change.after)
    const outcome = changes.length > 0 ? 'changed' : 'unchanged'
    return { ...product, outcome, stored: before, changes }
  })
}

/** IDs of shops are smaller. */
const FIRST_PROVISIONAL_ID = 2 ** 52

function indexStored(existing: Product[]): (details: ProductDetails) => Product | undefined {
  const byIds = new Map(existing.map((product) => [variantKey(product), product]))
  const bySku = Map.groupBy(existing, ({ sku }) => sku)
  const nameOf = (one: Pick<ProductDetails, 'name' | 'variant_name'>) =>
    JSON.stringify([one.name, one.variant_name ?? ''])
  const provisional = existing.filter(({ variant_id }) => variant_id >= FIRST_PROVISIONAL_ID)
  const byName = new Map(provisional.map((product) => [nameOf(product), product]))
  return (details) => {
    if (details.product_id !== undefined) return byIds.get(variantKey(details))
    const found = details.sku && details.match_by !== 'handle' ? bySku.get(details.sku) : undefined
    return found?.length === 1 ? found[0] : byName.get(nameOf(details))
  }
}

function textOf(product: ProductDetails, field: ComparedField): string {
  if (field !== 'tags') return product[field] ?? ''
  // Quoted, because one tag with a comma is different from two tags.
  return (product.tags ?? []).map((tag) => (tag.includes(',') ? `“${tag}”` : tag)).join(', ')
}

/** The limit of the service for one call. */
const MAX_PRODUCTS_PER_CALL = 1000
/** The limit of the service for the tags of all products in one call. */
const MAX_TAGS_PER_CALL = 25_000
/** The service accepts 8 MiB, and a character of JSON takes up to 3 bytes. */
const MAX_CHARACTERS_PER_CALL = 1_000_000

/** Splits the products, in order, into lists that each fit into one call of `putProducts`. */
export function batchProducts<Item extends LocatedProduct>(products: Item[]): Item[][] {
  const batches: Item[][] = []
  let characters = 0
  let tags = 0
  for (const product of products) {
    const length = JSON.stringify(product.details).length
    const tagged = product.details.tags?.length ?? 0
    const batch = batches.at(-1)
    characters += length
    tags += tagged
    if (
      batch &&
      batch.length < MAX_PRODUCTS_PER_CALL &&
      characters <= MAX_CHARACTERS_PER_CALL &&
      tags <= MAX_TAGS_PER_CALL
    ) {
      batch.push(product)
    } else {
      batches.push([product])
      characters = length
      tags = tagged
    }
  }
  return batches
}
