import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import type { Product } from '@stowage/client'
import { isStowageError, type NodeClient } from '@stowage/client/node'
import {
  batchProducts,
  compareProducts,
  type ProductsFile,
  parseProductsFile,
} from '@stowage/client/products-file'
import { CONNECTION_HELP, CONNECTION_OPTIONS, toCommandError, withClient } from '../connection.ts'
import { counted, tableWidth, writeData, writeList, writeMessage } from '../output.ts'
import { showProgress } from '../terminal/live-lines.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { type Column, table } from '../terminal/table.ts'
import {
  type Command,
  CommandFailed,
  omitUndefined,
  readChoice,
  readLimit,
  readOptions,
  requireOneArgument,
  suggestion,
  UsageError,
} from '../usage.ts'
import { arrangeFiles, listFiles } from './product-files.ts'

const SORTS = {
  newest: '-created_at',
  oldest: 'created_at',
  name: 'name',
  sku: 'sku',
  'product-id': 'product_id',
} as const
const SORT_NAMES = Object.keys(SORTS) as (keyof typeof SORTS)[]

const ACTIONS: Record<string, (commandLine: string[]) => Promise<number>> = {
  ls: listProducts,
  list: listProducts,
  import: importProducts,
  files: listFiles,
  arrange: arrangeFiles,
}

export const products: Command = {
  help: `stowage products: list and import the shop's products, and arrange their files

Usage:
  stowage products ls [WORD…] [--sku SKU] [--vendor NAME] [--tag TAG] [--sort ORDER]
                      [--with-assets | --without-assets] [--limit N | --all]
  stowage products import FILE|- [--dry-run] [--skip-bad]
  stowage products files PRODUCT
  stowage products arrange PRODUCT FILE… | --by-name | --reset

  WORD          any part of the name, variant name, SKU or vendor; all words must match
  --sku         only products with exactly this SKU
  --vendor      only products of this vendor
  --tag         only products with this tag
  --with-assets, --without-assets
                only products with or without an asset
  -s, --sort    ${SORT_NAMES.join(', ')}
  -n, --limit   the maximum number of products (default: 25)
  --all         all products
  --dry-run     show what would be added and changed, and import nothing
  --skip-bad    skip invalid lines (default: import nothing if the file has invalid lines)
  PRODUCT       a SKU, an ID or words, as in stowage attach
  FILE          the name or the ID of a file of the product
  --by-name     arrange the files by name
  --reset       arrange the files by the time of their upload, the oldest first
${CONNECTION_HELP}
  --json        ls, files, arrange: a JSON array; import: a summary

The file is CSV as Shopify or Matrixify exports it, or with the columns product_id, variant_id,
name, variant_name, sku, vendor and tags; or JSON: an array of products, or Shopify's products.json.

Products are identified by product_id and variant_id: existing ones are updated, new ones are added,
none are removed. Shopify's own CSV export has no IDs: its products are found by their SKU, or by
their handle and variant, and get their IDs when they come from the shop later. A missing column
leaves the stored values unchanged; an empty cell clears a value.

files lists the files of all variants in the order in which buyers see them. arrange changes the
order: the given files come first, and the others follow in their current order.

Exit codes: 0 success · 1 failure, or the file has invalid lines · 2 wrong usage

Examples:
  stowage products import products.csv --dry-run
  stowage products import products.csv
  stowage products ls preset --vendor "Studio North"
  stowage products ls --without-assets --sort sku
  stowage products arrange COURSE-1 'lesson 1.mp4' 'lesson 2.mp4'
`,
  async run([action, ...commandLine]) {
    if (action === undefined) throw new UsageError('Pass ls, import, files or arrange.')
    const work = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
    if (work === undefined) {
      throw new UsageError(
        `Unknown command products ${action}.${suggestion(action, Object.keys(ACTIONS))}`,
      )
    }
    return work(commandLine)
  },
}

const LIST_OPTIONS = {
  ...CONNECTION_OPTIONS,
  sku: { type: 'string' },
  vendor: { type: 'string' },
  tag: { type: 'string' },
  sort: { type: 'string', short: 's' },
  'with-assets': { type: 'boolean' },
  'without-assets': { type: 'boolean' },
  limit: { type: 'string', short: 'n' },
  all: { type: 'boolean' },
} as const

/** `stowage products ls`. */
export async function listProducts(commandLine: string[]): Promise<number> {
  const { values, positionals } = readOptions(commandLine, LIST_OPTIONS)
  const { sku, vendor, tag, json = false } = values
  const limit = readLimit(values)
  const sort = readChoice(values.sort, '--sort', SORT_NAMES)
  const { 'with-assets': isWith = false, 'without-assets': isWithout = false } = values
  if (isWith && isWithout) throw new UsageError('Pass either --with-assets or --without-assets.')
  const query = {
    search: positionals.join(' ') || undefined,
    sku,
    vendor,
    tag,
    sort: sort && SORTS[sort],
    has_assets: isWith || isWithout ? isWith : undefined,
  }
  return withClient(values, async (client) => {
    const list = (pageSize: number) => client.products(omitUndefined({ ...query, limit: pageSize }))
    await writeList<Product>(list, { limit, json, text: productTable })
    return 0
  })
}

const COLUMNS: Column[] = [
  { head: 'SKU', minWidth: 8 },
  { head: 'NAME', minWidth: 12 },
  { head: 'VARIANT', minWidth: 8, dropOrder: 1 },
  { head: 'PRODUCT ID', align: 'right', dropOrder: 3 },
  { head: 'VARIANT ID', align: 'right', dropOrder: 2 },
  { head: 'VENDOR', minWidth: 8, dropOrder: 4 },
  { head: 'TAGS', minWidth: 8, dropOrder: 5 },
]

function productTable(products: Product[]): string {
  return table(
    COLUMNS,
    products.map(({ sku, name, variant_name, product_id, variant_id, vendor, tags }) => [
      sku,
      name,
      variant_name,
      String(product_id),
      String(variant_id),
      vendor,
      tags.join(', '),
    ]),
    { columns: tableWidth() },
  )
}

const IMPORT_OPTIONS = {
  ...CONNECTION_OPTIONS,
  'dry-run': { type: 'boolean' },
  'skip-bad': { type: 'boolean' },
} as const

const MAX_PROBLEMS = 50
const MAX_COLUMNS = 10

/** `stowage products import`. */
export async function importProducts(commandLine: string[]): Promise<number> {
  const { values, positionals } = readOptions(commandLine, IMPORT_OPTIONS)
  const path = requireOneArgument(positionals, 'file')
  const { json = false, 'dry-run': isDryRun = false, 'skip-bad': skipBad = false } = values
  const file = parseProductsFile(await readInput(path))
  writeProblems(file, path)
  const { products, problems } = file
  const skipped = new Set(problems.map(({ line }) => line)).size
  writeIgnoredColumns(file)
  const summary = { file: path, format: file.format, products: products.length, problems }
  if (isDryRun) {
    return withClient(values, async (client) => {
      const preview = await previewOf(client, file)
      if (!json) for (const line of preview.lines) process.stdout.write(`${line}\n`)
      const { counts } = preview
      const text = `${counts.new} new, ${counts.changed} changed, ${counts.unchanged} unchanged, ${skipped} invalid; nothing was imported (--dry-run)`
      writeData({ ...summary, ...counts, imported: 0 }, { json, text })
      return problems.length > 0 && !skipBad ? 1 : 0
    })
  }
  if (problems.length > 0 && !skipBad) {
    if (json) writeData({ ...summary, imported: 0 }, { json, text: '' })
    throw new CommandFailed(
      'Nothing was imported. Fix the file, or pass --skip-bad to skip the invalid lines.',
    )
  }
  return withClient(values, async (client, connection) => {
    let imported = 0
    const progress = showProgress()
    try {
      for (const some of batchProducts(products)) {
        await client.putProducts(some.map(({ details }) => details))
        imported += some.length
        progress.show(`${imported} of ${counted(products.length, 'product')}`)
      }
    } catch (error) {
      if (!isStowageError(error)) throw error
      progress.clear()
      writeMessage(
        `Imported before this error: ${imported} of ${counted(products.length, 'product')}. It is safe to run the command again.`,
      )
      throw toCommandError(error, connection)
    }
    progress.clear()
    const text =
      skipped === 0
        ? `${counted(imported, 'product')} imported`
        : `${imported} imported, ${skippedText(skipped, file.format)}`
    writeData({ ...summary, imported, skipped }, { json, text })
    return 0
  })
}

async function readInput(path: string): Promise<Uint8Array> {
  if (path === '-') return buffer(process.stdin)
  try {
    return await readFile(path)
  } catch (error) {
    throw new CommandFailed(`Cannot read ${sanitize(path)}: ${(error as Error).message}`)
  }
}

/** `products.csv:12: sku: must be a string of …`, like a compiler. */
function writeProblems({ problems }: ProductsFile, path: string): void {
  for (const { line, field, column = field, value, message } of problems.slice(0, MAX_PROBLEMS)) {
    const where = column === undefined ? '' : `${column}: `
    const found = value ? ` (found ${show(value)})` : ''
    writeMessage(sanitize(`${path}:${line}: ${where}${message}${found}`))
  }
  const more = problems.length - MAX_PROBLEMS
  if (more > 0) writeMessage(`and ${more} more (--json lists all)`)
}

/** A misspelled column would otherwise be ignored silently. */
function writeIgnoredColumns({ ignoredColumns }: ProductsFile): void {
  if (ignoredColumns.length === 0) return
  const shown = ignoredColumns.slice(0, MAX_COLUMNS)
  const more = ignoredColumns.length - shown.length
  const names = [...shown, ...(more > 0 ? [`${more} more`] : [])]
  writeMessage(sanitize(`Columns that are not imported: ${names.join(', ')}`))
}

function skippedText(count: number, format: ProductsFile['format']): string {
  const [one, many] =
    format === 'csv' ? (['line', 'lines'] as const) : (['entry', 'entries'] as const)
  return `${counted(count, one, many)} skipped`
}

async function previewOf(client: NodeClient, { products }: ProductsFile) {
  const compared = compareProducts(products, await Array.fromAsync(client.products()))
  const counts = { new: 0, changed: 0, unchanged: 0 }
  const lines: string[] = []
  for (const { outcome, details, changes } of compared) {
    counts[outcome] += 1
    if (outcome === 'unchanged') continue
    const what = changes.map(
      ({ field, before, after }) => `${field} ${show(before)} → ${show(after)}`,
    )
    const { product_id, variant_id, handle, name, variant_name } = details
    const key = product_id === undefined ? handle : `${product_id}/${variant_id}`
    const title = [key, name, product_id === undefined && variant_name].filter(Boolean).join(' ')
    lines.push(
      sanitize(outcome === 'new' ? `new      ${title}` : `changed  ${title}: ${what.join(', ')}`),
    )
  }
  return { counts, lines }
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing'
}
