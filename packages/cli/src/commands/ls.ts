import type { Asset } from '@stowage/client'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection/with-client.ts'
import { omitUndefined } from '../omit-undefined.ts'
import { tableWidth } from '../output.ts'
import { type Column, table } from '../text/table.ts'
import { type Command, readChoice, readCount, readOptions, UsageError } from '../usage.ts'
import { reportRemaining, writeList } from '../write-list.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  sort: { type: 'string', short: 's' },
  type: { type: 'string' },
  linked: { type: 'boolean' },
  unlinked: { type: 'boolean' },
  sku: { type: 'string' },
  limit: { type: 'string', short: 'n' },
  all: { type: 'boolean' },
} as const

const SORTS = {
  newest: '-created_at',
  oldest: 'created_at',
  name: 'filename',
  largest: '-bytes',
  smallest: 'bytes',
} as const
const SORT_NAMES = Object.keys(SORTS) as (keyof typeof SORTS)[]

export const ls: Command = {
  help: `stowage ls: the assets, newest first

Usage:
  stowage ls [NAME] [--sort ORDER] [--type file|link] [--unlinked] [--sku SKU] [--limit N | --all]

  NAME        any part of the name, in any case
  --sort      ${SORT_NAMES.join(', ')}
  --type      files or links only
  --unlinked  those without any product; --linked: those with one
  --sku       those of a product with exactly this SKU
  --limit     how many at most (25)
  --all       every one
${CONNECTION_HELP}
  --json      a JSON array, with the products

On a terminal the table is as wide as the terminal; elsewhere nothing is cut.

Examples:
  stowage ls
  stowage ls preset --sort largest --limit 100
  stowage ls --unlinked --all --json | jq -r '.[].id'
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    if (positionals.length > 1) {
      throw new UsageError(`one name, please, not ${positionals.join(' ')}`)
    }
    const { all = false, json = false, linked = false, unlinked = false } = values
    if (linked && unlinked) throw new UsageError('--linked or --unlinked, not both')
    const limit = readCount(values.limit, '--limit')
    if (all && limit !== undefined) throw new UsageError('--limit or --all, not both')
    const sort = readChoice(values.sort, '--sort', SORT_NAMES)
    const query = {
      with_products: true,
      filename: positionals[0],
      sort: sort && SORTS[sort],
      type: readChoice(values.type, '--type', ['file', 'link'] as const),
      linked: linked || unlinked ? linked : undefined,
      sku: values.sku,
    }
    return withClient(values, async (client) => {
      const list = (pageSize: number) => client.assets(omitUndefined({ ...query, limit: pageSize }))
      const most = all ? undefined : (limit ?? 25)
      const counts = await writeList<Asset>(list, { limit: most, json, text: assetTable })
      if (!json) reportRemaining(counts)
      return 0
    })
  },
}

const COLUMNS: Column[] = [
  { head: 'ID', leaves: 1 },
  { head: 'NAME', least: 16 },
  { head: 'SIZE', align: 'right' },
  { head: 'CREATED', leaves: 2 },
  { head: 'PRODUCTS', least: 10, leaves: 3 },
]

function assetTable(assets: Asset[]): string {
  return table(
    COLUMNS,
    assets.map(({ id, filename, is_link, size, bytes, created_at, products = [] }) => [
      id,
      filename,
      is_link && bytes === 0 ? 'link' : size,
      created_at.slice(0, 10),
      [...new Set(products.map(({ sku, name }) => sku || name))].join(', '),
    ]),
    { columns: tableWidth() },
  )
}
