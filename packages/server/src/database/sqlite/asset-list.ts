import type { Asset } from '../../domain/asset.ts'
import { stretchOf } from '../../domain/paging.ts'
import type { AssetQuery, AssetSort, Rows } from '../account-data.ts'
import { type Filter, prepareNameFilter } from './name-filter.ts'
import { ASSET_COLUMNS, type AssetRow, toAsset } from './rows.ts'
import type { Connection } from './statement.ts'

const READY = `from assets where account_id = :account and status = 'ready'`
/** The plus keeps SQLite from walking the account's index instead of the few rows that are named. */
const READY_AMONG_FEW = `from assets where +account_id = :account and +status = 'ready'`

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

function filterOf(query: AssetQuery, byName: (name: string) => Filter): Filter {
  const filters: Filter[] = []
  const add = (condition: string, parameters: Filter['parameters']) =>
    filters.push({ conditions: [condition], parameters })
  if (query.name !== undefined) filters.push(byName(query.name))
  if (query.kind !== undefined) add('kind = :kind', { kind: query.kind })
  if (query.linked !== undefined) add('linked = :linked', { linked: query.linked ? 1 : 0 })
  if (query.sku !== undefined) add(linkedTo('p.sku = :sku'), { sku: query.sku })
  if (query.productId !== undefined) {
    add(linkedTo('p.product_id = :product_id'), { product_id: query.productId })
  }
  return {
    conditions: filters.flatMap(({ conditions }) => conditions),
    parameters: Object.assign({}, ...filters.map(({ parameters }) => parameters)),
    isSelective: filters.some(({ isSelective }) => isSelective),
  }
}

export function prepareAssetList(connection: Connection) {
  const { prepare } = connection
  const byName = prepareNameFilter(connection, 'asset_names')
  const counted = prepare<{ total: number }>(
    'select asset_count as total from accounts where id = :account',
  )
  /** Few rows are counted and sorted in one go. */
  function listFew(account: string, query: AssetQuery, filter: Filter): Rows<Asset> {
    const page = prepare<AssetRow & { total: number }>(
      `select ${ASSET_COLUMNS}, count(*) over () as total
       ${[READY_AMONG_FEW, ...filter.conditions].join(' and ')}
       order by ${orderOf(query.sort)} limit +:limit offset :offset`,
    )
    const offset = (query.page - 1) * query.perPage
    const parameters = { account, ...filter.parameters }
    const rows = page.all({ ...parameters, limit: query.perPage, offset })
    // Behind the last page there is no row that would tell the total.
    const [first] =
      rows.length > 0 || offset === 0 ? rows : page.all({ ...parameters, limit: 1, offset: 0 })
    return { rows: rows.map(toAsset), total: first?.total ?? 0 }
  }

  return {
    listAssets(account: string, query: AssetQuery): Rows<Asset> {
      const filter = filterOf(query, byName)
      if (filter.isSelective) return listFew(account, query, filter)
      const { conditions, parameters } = filter
      const filtered = [READY, ...conditions].join(' and ')
      const count =
        conditions.length === 0
          ? counted
          : prepare<{ total: number }>(`select count(*) as total ${filtered}`)
      const total = count.get({ account, ...parameters })?.total ?? 0
      const { isFromEnd, offset, limit } = stretchOf(query, total)
      if (limit === 0) return { rows: [], total }
      const { by, descending } = query.sort
      const order = orderOf({ by, descending: descending !== isFromEnd })
      const page = prepare<AssetRow>(
        `select ${ASSET_COLUMNS} ${filtered} order by ${order} limit +:limit offset :offset`,
      )
      const rows = page.all({ account, ...parameters, limit, offset }).map(toAsset)
      return { rows: isFromEnd ? rows.reverse() : rows, total }
    },
  }
}

function orderOf({ by, descending }: AssetSort): string {
  return SORTS[by].map((column) => `${column} ${descending ? 'desc' : 'asc'}`).join(', ')
}
