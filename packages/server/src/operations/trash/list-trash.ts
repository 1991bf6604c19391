import type { TrashedAsset, TrashQuery } from '../../database/trash-data.ts'
import { folderOfFilter } from '../../domain/asset-path.ts'
import { trashCursorText } from '../../domain/cursor.ts'
import type { PagePosition } from '../../domain/paging.ts'
import { foldText } from '../../domain/search-text.ts'
import { searchWords } from '../../domain/search-words.ts'
import type { AccountContext } from '../context.ts'
import { readPage } from '../listing/read-page.ts'

/** An empty filter means no filter. */
export interface TrashListRequest extends Omit<TrashQuery, 'words' | 'name' | 'folder'> {
  search?: string | undefined
  filename?: string | undefined
  /** A folder, with or without a slash at its end. */
  path?: string | undefined
  /** Only assets that are attached to products. There are none in the trash. */
  isAttached: boolean
}

/** An asset in the trash. A job removes it after `removedAfter`. */
export interface ListedTrash extends TrashedAsset {
  removedAfter: Date
}

export async function listTrash(
  { data, settings }: AccountContext,
  request: TrashListRequest,
): Promise<{ assets: ListedTrash[]; position: PagePosition }> {
  const { search = '', filename, path, isAttached, ...rest } = request
  const folder = path === undefined ? undefined : folderOfFilter(path)
  const words = searchWords(search)
  const query: TrashQuery = {
    ...rest,
    ...(words.length > 0 && { words }),
    ...(filename && { name: foldText(filename) }),
    ...(folder !== undefined && { folder }),
  }
  const read = isAttached ? async () => ({ rows: [], total: 0 }) : data.listTrash
  const { rows, position } = await readPage(query, read, trashCursorText)
  const assets = rows.map((asset) => ({
    ...asset,
    removedAfter: new Date(asset.trashedAt.getTime() + settings.trashForMs),
  }))
  return { assets, position }
}
