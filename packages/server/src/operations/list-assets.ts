import { LARGEST_PAGE } from '@stowage/protocol'
import type { Asset } from '../domain/asset.ts'
import { isSearchable } from '../domain/filename.ts'
import { type PagePosition, pagePosition } from '../domain/paging.ts'
import { foldText } from '../domain/search-text.ts'
import { invalid } from '../errors.ts'
import type { Context } from './context.ts'

export interface AssetListRequest {
  accountId: string
  page?: number | undefined
  limit?: number | undefined
  filename?: string | undefined
}

const DEFAULT_PAGE_SIZE = 25

export async function listAssets(
  { database }: Context,
  request: AssetListRequest,
): Promise<{ assets: Asset[]; position: PagePosition }> {
  const { page = 1, limit = DEFAULT_PAGE_SIZE, filename = '' } = request
  if (!isSearchable(filename)) {
    throw invalid({ filename: ['must not have control characters'] })
  }
  const wanted = { page, perPage: Math.min(limit, LARGEST_PAGE) }
  const name = foldText(filename)
  const { assets, total } = await database.listAssets(request.accountId, {
    ...wanted,
    ...(name !== '' && { name }),
  })
  return { assets, position: pagePosition(wanted, total) }
}
