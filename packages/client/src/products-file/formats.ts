import { type CsvRecord, readCsv } from './csv.ts'
import type { ProductFields } from './file-product.ts'

/** Receives the products of a file and the problems with it. */
export interface Collector {
  add(line: number, fields: Partial<ProductFields>): void
  refuse(line: number, message: string): void
  /** The column that each field is read from, as the header names it. */
  nameColumns(titles: Partial<Record<keyof ProductFields, string>>): void
  /** Columns that are not imported, as the header names them. */
  ignoreColumns(names: string[]): void
}

/** The names of columns in Stowage, Shopify (old and new) and Matrixify, preferred ones first. */
const COLUMNS = {
  product_id: ['product id', 'id'],
  variant_id: ['variant id'],
  handle: ['handle', 'url handle'],
  name: ['name', 'title', 'product name', 'product title', 'product'],
  variant_name: ['variant name', 'variant title', 'variant'],
  option1: ['option1 value'],
  option2: ['option2 value'],
  option3: ['option3 value'],
  sku: ['sku', 'variant sku'],
  vendor: ['vendor'],
  tags: ['tags', 'tag'],
} satisfies Record<string, string[]>

type Column = keyof typeof COLUMNS

const FIELDS = [
  'product_id',
  'variant_id',
  'handle',
  'name',
  'variant_name',
  'sku',
  'vendor',
  'tags',
] as const
type Row = Partial<Record<Column, string>>

const NO_HANDLE =
  'Alternatively, a file without IDs needs the column “Handle”, as Shopify exports it.'

/** Shopify's name for the single variant of a product without variants. */
const NO_VARIANTS = 'Default Title'

export function collectCsvProducts(text: string, collect: Collector): void {
  const records = readCsv(text)
  const header = records.next().value
  if (header === undefined) return
  const columns = findColumns(header.fields)
  const missing = problemWithColumns(columns)
  if (missing !== undefined) {
    collect.refuse(header.line, missing)
    return
  }
  const used = new Set(columns.values())
  const titles: string[] = header.fields
  collect.nameColumns(titlesOf(columns, titles))
  collect.ignoreColumns(titles.filter((title, index) => title.trim() !== '' && !used.has(index)))

  const hasIds = columns.has('product_id') || columns.has('variant_id')
  /** The first row of the current product. Rows without a title continue it. */
  let first: Row = {}
  const firstRows = new Map<string, Row>()
  for (const record of records) {
    const problem = record.problem ?? problemWithWidth(record, header)
    if (problem !== undefined) {
      collect.refuse(record.line, problem)
      continue
    }
    const row = readRow(record, columns)
    // The rows of a product may have been separated by sorting.
    if (!row.name && row.handle) first = firstRows.get(row.handle) ?? first
    const continues = isContinuation(row, first)
    if (!continues) first = row
    if (!continues && row.handle) firstRows.set(row.handle, row)
    // Shopify writes additional pictures of a product into separate rows.
    if (continues && !row.variant_id && !row.sku && !row.option1) continue
    if (!hasIds && !row.handle) {
      collect.refuse(record.line, 'The handle is missing.')
      continue
    }
    const { product_id, name, vendor, tags } = continues ? { ...first, ...withoutEmpty(row) } : row
    collect.add(record.line, {
      ...row,
      product_id,
      name,
      vendor,
      tags,
      variant_name: variantNameOf(row),
    })
  }
}

function findColumns(header: string[]): Map<Column, number> {
  const names = header.map((name) =>
    name
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_]+/g, ' '),
  )
  const columns = new Map<Column, number>()
  for (const [column, titles] of Object.entries(COLUMNS)) {
    const index = titles.map((title) => names.indexOf(title)).find((at) => at !== -1)
    if (index !== undefined) columns.set(column as Column, index)
  }
  return columns
}

/** If there is no column for the variant's name, a problem with that name refers to the column of the first option. */
function titlesOf(columns: Map<Column, number>, titles: string[]) {
  const titleOf = (column: Column) =>
    titles[columns.get(column) ?? -1]?.trim().replaceAll(/\s+/g, ' ')
  const found = FIELDS.map((field) => [
    field,
    titleOf(field) ?? (field === 'variant_name' ? titleOf('option1') : undefined),
  ])
  return Object.fromEntries(found) as Partial<Record<keyof ProductFields, string>>
}

function problemWithColumns(columns: Map<Column, number>): string | undefined {
  const wanted = { product_id: '“Product ID”', variant_id: '“Variant ID”', name: '“Title”' }
  const isByHandle =
    columns.has('handle') && !columns.has('product_id') && !columns.has('variant_id')
  const missing = Object.entries(wanted)
    .filter(([column]) => !columns.has(column as Column) && !(isByHandle && column !== 'name'))
    .map(([, title]) => title)
  if (missing.length === 0) return undefined
  const columnText = missing.length === 1 ? 'column' : 'columns'
  const message = `The file lacks the ${columnText} ${new Intl.ListFormat('en').format(missing)}.`
  const hasNoIds = !columns.has('product_id') && !columns.has('variant_id')
  return hasNoIds && !isByHandle ? `${message} ${NO_HANDLE}` : message
}

function problemWithWidth({ fields }: CsvRecord, header: CsvRecord): string | undefined {
  const extra = fields.slice(header.fields.length).filter((value) => value.trim() !== '').length
  if (extra === 0) return undefined
  return 'The line has more fields than the header. If a field contains the separator, enclose the whole field in double quotes.'
}

function readRow({ fields }: CsvRecord, columns: Map<Column, number>): Row {
  const row: Row = {}
  // If a row is shorter than the header, the fields without a cell are missing, not empty.
  for (const [column, index] of columns) {
    const cell = fields[index]?.trim()
    if (cell !== undefined) row[column] = cell
  }
  return row
}

/** Only the first of several rows of a product has its title. */
function isContinuation(row: Row, first: Row): boolean {
  if (row.name) return false
  if (row.handle) return row.handle === first.handle
  return Boolean(row.product_id) && row.product_id === first.product_id
}

function withoutEmpty(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== ''))
}

function variantNameOf(row: Row): ProductFields['variant_name'] {
  const options = [row.option1, row.option2, row.option3].filter(Boolean).join(' / ')
  const name = row.variant_name || (row.option1 === undefined ? row.variant_name : options)
  return name === NO_VARIANTS ? '' : name
}

type Entry = Record<string, unknown>

/**
 * Reads a list of products as `PUT /products` takes it or `GET /products` returns it, or Shopify's
 * `products.json`, where each product has a list of variants.
 */
export function collectJsonProducts(text: string, collect: Collector): void {
  for (const [index, entry] of readList(text, collect).entries()) {
    const position = index + 1
    if (!isEntry(entry)) collect.refuse(position, 'The entry is not a product.')
    else if (Array.isArray(entry.variants))
      collectVariants(position, entry, entry.variants, collect)
    else collect.add(position, pick(entry))
  }
}

function readList(text: string, collect: Collector): unknown[] {
  try {
    const list = listIn(JSON.parse(text))
    if (list !== undefined) return list
    collect.refuse(
      1,
      'The file contains no list of products: expected [ … ] or {"products": [ … ]}.',
    )
  } catch (error) {
    collect.refuse(1, `Invalid JSON: ${(error as Error).message}.`)
  }
  return []
}

function listIn(content: unknown): unknown[] | undefined {
  const found = isEntry(content) ? (content.products ?? content.data) : content
  if (Array.isArray(found)) return found
  // A single product, as `GET /products/:id` returns it.
  return isEntry(found) ? [found] : undefined
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function pick(entry: Entry) {
  const { product_id, variant_id, handle, name, variant_name, sku, vendor, tags } = entry
  return { product_id, variant_id, handle, name, variant_name, sku, vendor, tags }
}

function collectVariants(
  position: number,
  product: Entry,
  variants: unknown[],
  collect: Collector,
): void {
  for (const variant of variants) {
    if (!isEntry(variant)) {
      collect.refuse(position, 'A variant of the product is not an object.')
      continue
    }
    collect.add(position, {
      product_id: product.id,
      variant_id: variant.id,
      handle: product.handle,
      name: product.title,
      variant_name: variant.title === NO_VARIANTS ? '' : variant.title,
      sku: variant.sku,
      vendor: product.vendor,
      tags: product.tags,
    })
  }
}
