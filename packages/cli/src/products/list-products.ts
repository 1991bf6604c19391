import type { Product } from '@stowage/client'
import { CONNECTION_OPTIONS, withClient } from '../connection/with-client.ts'
import { omitUndefined } from '../omit-undefined.ts'
import { tableWidth } from '../output.ts'
import { type Column, table } from '../text/table.ts'
import { readCount, readOptions, UsageError } from '../usage.ts'
import { reportRemaining, writeList } from '../write-list.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  sku: { type: 'string' },
  vendor: { type: 'string' },
  tag: { type: 'string' },
  limit: { type: 'string', short: 'n' },
  all: { type: 'boolean' },
} as const

/** `stowage products ls`. */
export async function listProducts(commandLine: string[]): Promise<number> {
  const { values, positionals } = readOptions(commandLine, OPTIONS)
  const { sku, vendor, tag, all = false, json = false } = values
  const limit = readCount(values.limit, '--limit')
  if (all && limit !== undefined) throw new UsageError('Pass either --limit or --all.')
  const query = { search: positionals.join(' ') || undefined, sku, vendor, tag }
  return withClient(values, async (client) => {
    const list = (pageSize: number) => client.products(omitUndefined({ ...query, limit: pageSize }))
    const maximum = all ? undefined : (limit ?? 25)
    const counts = await writeList<Product>(list, { limit: maximum, json, text: productTable })
    if (!json) reportRemaining(counts)
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
