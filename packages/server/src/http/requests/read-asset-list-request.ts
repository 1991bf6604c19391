import type { ListAssetsQuery } from '@stowage/protocol'
import type { SortKey } from '../../domain/cursor.ts'
import type { AssetListRequest } from '../../operations/assets/list-assets.ts'
import { readPageRequest } from './read-page-request.ts'

export function readAssetListRequest(query: ListAssetsQuery): AssetListRequest {
  const { search, filename, type, linked, sku, product_id: productId, path } = query
  const sort = readSort(query.sort)
  return {
    ...readPageRequest(query, sort.by),
    sort,
    search,
    filename,
    sku,
    path,
    ...(type !== undefined && { kind: type }),
    ...(linked !== undefined && { attached: linked }),
    ...(productId !== undefined && { productId }),
  }
}

/** A column, preceded by `-` for descending order. The schema has checked it. */
function readSort(sort = '-created_at'): AssetListRequest['sort'] {
  const by = sort.replace(/^-/, '') as SortKey
  return { by, descending: sort.startsWith('-') }
}
