import type { Asset } from '@stowage/client'
import { FILTER_HELP, FILTER_OPTIONS, readFilters } from '../assets.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, withClient } from '../connection.ts'
import { tableWidth, writeList } from '../output.ts'
import { type Column, table } from '../terminal/table.ts'
import {
  type Command,
  omitUndefined,
  readChoice,
  readLimit,
  readName,
  readOptions,
} from '../usage.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  sort: { type: 'string', short: 's' },
  type: { type: 'string' },
  ...FILTER_OPTIONS,
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
  help: `stowage ls: list assets, newest first

Usage:
  stowage ls [NAME] [--search WORDS] [--path FOLDER] [--sort ORDER] [--type file|link]
             [--attached | --unattached] [--sku SKU] [--tag TAG] [--limit N | --all]

  NAME          a part of the name, case-insensitive
  -s, --sort    ${SORT_NAMES.join(', ')}
  --type        only files, or only links (assets that are external URLs)
${FILTER_HELP}
  -n, --limit   the maximum number of assets (default: 25)
  --all         all assets
${CONNECTION_HELP}
  --json        a JSON array of assets with their products

On a terminal, the table is truncated to the width of the terminal. stowage list is an alias.

Examples:
  stowage ls
  stowage ls preset --sort largest --limit 100
  stowage ls --search "dusty pack"
  stowage ls --path 'course/week 1'
  stowage ls --unattached --all --json | jq -r '.[].id'
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    const { json = false } = values
    const limit = readLimit(values)
    const sort = readChoice(values.sort, '--sort', SORT_NAMES)
    const query = {
      ...readFilters(values),
      with_products: true,
      filename: readName(positionals),
      sort: sort && SORTS[sort],
      type: readChoice(values.type, '--type', ['file', 'link'] as const),
    }
    return withClient(values, async (client) => {
      const list = (pageSize: number) => client.assets(omitUndefined({ ...query, limit: pageSize }))
      await writeList<Asset>(list, { limit, json, text: assetTable })
      return 0
    })
  },
}

const COLUMNS: Column[] = [
  { head: 'ID', dropOrder: 1 },
  { head: 'NAME', minWidth: 16 },
  { head: 'PATH', minWidth: 10, dropOrder: 3 },
  { head: 'SIZE', align: 'right' },
  { head: 'STATE' },
  { head: 'CREATED', dropOrder: 2 },
  { head: 'PRODUCTS', minWidth: 10, dropOrder: 4 },
  { head: 'TAGS', minWidth: 10, dropOrder: 5 },
]

function assetTable(assets: Asset[]): string {
  const hasPaths = assets.some(({ path }) => path)
  const hasDamaged = assets.some(({ damaged }) => damaged)
  // A service of an older version has no tags.
  const hasTags = assets.some(({ tags = [] }) => tags.length > 0)
  const unused = [
    ...(hasPaths ? [] : ['PATH']),
    ...(hasDamaged ? [] : ['STATE']),
    ...(hasTags ? [] : ['TAGS']),
  ]
  return table(
    COLUMNS.filter(({ head }) => !unused.includes(head)),
    assets.map(({ id, filename, path, is_link, size, bytes, damaged, created_at, ...asset }) => [
      id,
      filename,
      ...(hasPaths ? [path ?? ''] : []),
      is_link && bytes === 0 ? 'link' : size,
      ...(hasDamaged ? [damaged ? 'damaged' : ''] : []),
      created_at.slice(0, 10),
      [...new Set(asset.products?.map(({ sku, name }) => sku || name))].join(', '),
      ...(hasTags ? [(asset.tags ?? []).join(', ')] : []),
    ]),
    { columns: tableWidth() },
  )
}
