import type { Asset } from '../../domain/asset.ts'
import { stretchOf } from '../../domain/paging.ts'
import type { AssetQuery, AssetSort, Rows } from '../account-data.ts'
import { type Filter, nameFilter } from './name-filter.ts'
import { ASSET_COLUMNS, type AssetRow, toAsset } from './rows.ts'
import type { Connection } from './statement.ts'

const READY = `from assets where account_id = :account and status = 'ready'`

/** Each has an index behind it that ends with the id, so that equal ones keep an order. */
const SORTS: Record<AssetSort['by'], string[]> = {
  created_at: ['id'],
  filename: ['search_name', 'id'],
  bytes: ['bytes', 'id'],
}

/** Assets that are linked to a product which meets the condition. */
function linkedTo(condition: string): string {
  return `seq in (
    select l.asset_seq from products p join asset_products l on l.product_seq = p.seq
    where p.account_id = :account and ${condition})`
}

function filterOf(query: AssetQuery): Filter {
  const filters: Filter[] = []
  const add = (condition: string, parameters: Filter['parameters']) =>
    filters.push({ conditions: [condition], parameters })
  if (query.name !== undefined) filters.push(nameFilter('asset_names', query.name))
  if (query.kind !== undefined) add('kind = :kind', { kind: query.kind })
  if (query.linked !== undefined) add('linked = :linked', { linked: query.linked ? 1 : 0 })
  if (query.sku !== undefined) add(linkedTo('p.sku = :sku'), { sku: query.sku })
  if (query.productId !== undefined) {
    add(linkedTo('p.product_id = :product_id'), { product_id: query.productId })
  }
  return {
    conditions: filters.flatMap(({ conditions }) => conditions),
    parameters: Object.assign({}, ...filters.map(({ parameters }) => parameters)),
  }
}

export function prepareAssetList({ prepare }: Connection) {
  const counted = prepare<{ total: number }>(
    'select asset_count as total from accounts where id = :account',
  )
  return {
    listAssets(account: string, query: AssetQuery): Rows<Asset> {
      const { conditions, parameters } = filterOf(query)
      const filtered = [READY, ...conditions].join(' and ')
      const count =
        conditions.length === 0
          ? counted
          : prepare<{ total: number }>(`select count(*) as total ${filtered}`)
      const total = count.get({ account, ...parameters })?.total ?? 0
      const { isFromEnd, offset, limit } = stretchOf(query, total)
      if (limit === 0) return { rows: [], total }
      const direction = query.sort.descending === isFromEnd ? 'asc' : 'desc'
      const order = SORTS[query.sort.by].map((column) => `${column} ${direction}`).join(', ')
      const page = prepare<AssetRow>(
        `select ${ASSET_COLUMNS} ${filtered} order by ${order} limit :limit offset :offset`,
      )
      const rows = page.all({ account, ...parameters, limit, offset }).map(toAsset)
      return { rows: isFromEnd ? rows.reverse() : rows, total }
    },
  }
}
