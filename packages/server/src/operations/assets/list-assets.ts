import type { AssetQuery, AssetSort } from '../../database/account-data.ts'
import type { Asset } from '../../domain/asset.ts'
import { cursorText } from '../../domain/cursor.ts'
import type { PagePosition } from '../../domain/paging.ts'
import type { AccountContext } from '../context.ts'
import {
  cursorWish,
  exactText,
  type PageWish,
  pageRequest,
  searchText,
} from '../listing/page-request.ts'
import { readPage } from '../listing/read-page.ts'

export interface AssetListRequest extends PageWish {
  filename?: string | undefined
  sort?: string | undefined
  type?: Asset['kind'] | undefined
  linked?: boolean | undefined
  sku?: string | undefined
  product_id?: number | undefined
  /** Linked to the product with this ID of ours. */
  ofProduct?: string | undefined
}

const NEWEST_FIRST: AssetSort = { by: 'created_at', descending: true }

export async function listAssets(
  { data }: AccountContext,
  request: AssetListRequest,
): Promise<{ assets: Asset[]; position: PagePosition }> {
  const sort = readSort(request.sort)
  const name = searchText('filename', request.filename)
  const sku = exactText('sku', request.sku)
  const { type, linked, product_id, ofProduct } = request
  const query: AssetQuery = {
    ...pageRequest(request),
    ...cursorWish(request, sort.by),
    sort,
    ...(name !== undefined && { name }),
    ...(type !== undefined && { kind: type }),
    ...(linked !== undefined && { linked }),
    ...(sku !== undefined && { sku }),
    ...(product_id !== undefined && { productId: product_id }),
    ...(ofProduct !== undefined && { ofProduct }),
  }
  const cursorOf = (asset: Asset) => cursorText(asset, sort.by)
  const { rows, position } = await readPage(query, data.listAssets, cursorOf)
  return { assets: rows, position }
}

/** The schema has checked it: a column, with `-` before it for descending. */
function readSort(sort: string | undefined): AssetSort {
  if (sort === undefined) return NEWEST_FIRST
  const by = sort.replace(/^-/, '') as AssetSort['by']
  return { by, descending: sort.startsWith('-') }
}
