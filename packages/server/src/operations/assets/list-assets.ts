import type { AssetQuery } from '../../database/account-data.ts'
import type { Asset } from '../../domain/asset.ts'
import { folderOfFilter } from '../../domain/asset-path.ts'
import { cursorText } from '../../domain/cursor.ts'
import type { PagePosition } from '../../domain/paging.ts'
import { foldText } from '../../domain/search-text.ts'
import { searchWords } from '../../domain/search-words.ts'
import type { AccountContext } from '../context.ts'
import { readPage } from '../listing/read-page.ts'

/** An empty filter means no filter. */
export interface AssetListRequest extends Omit<AssetQuery, 'words' | 'name' | 'sku' | 'folder'> {
  search?: string | undefined
  filename?: string | undefined
  sku?: string | undefined
  /** A folder, with or without a slash at its end. */
  path?: string | undefined
}

export async function listAssets(
  { data }: AccountContext,
  request: AssetListRequest,
): Promise<{ assets: Asset[]; position: PagePosition }> {
  const { search = '', filename, sku, path, ...rest } = request
  const folder = path === undefined ? undefined : folderOfFilter(path)
  const words = searchWords(search)
  const query: AssetQuery = {
    ...rest,
    ...(words.length > 0 && { words }),
    ...(filename && { name: foldText(filename) }),
    ...(sku && { sku }),
    ...(folder !== undefined && { folder }),
  }
  const cursorOf = (asset: Asset) => cursorText(asset, query.sort.by)
  const { rows, position } = await readPage(query, data.listAssets, cursorOf)
  return { assets: rows, position }
}
