import type { ListAssetsQuery } from '@stowage/protocol'
import { invalid } from '../../errors.ts'
import type { TrashListRequest } from '../../operations/trash/list-trash.ts'
import { readPageRequest } from './read-page-request.ts'

/** The query of a list of assets with `trashed=true`. */
export function readTrashListRequest(query: ListAssetsQuery): TrashListRequest {
  const { sort, search, filename, type, linked, sku, product_id: productId, path } = query
  if (sort !== undefined) {
    throw invalid({
      sort: ['must be omitted if trashed is true: the trash is sorted by the time of deletion'],
    })
  }
  return {
    ...readPageRequest(query, 'deleted_at'),
    search,
    filename,
    path,
    isAttached: linked === true || Boolean(sku) || productId !== undefined,
    ...(type !== undefined && { kind: type }),
  }
}
