import { formatSize } from '@stowage/protocol/format'
import type {
  AssetsOutcome,
  AssetsRestoreOutcome,
  TrashedAsset,
  TrashQuery,
} from '../database/trash-data.ts'
import type { Asset } from '../domain/asset.ts'
import { ServiceError } from '../domain/errors.ts'
import { folderOfFilter } from '../domain/names.ts'
import { type PagePosition, trashCursorText } from '../domain/paging.ts'
import { foldText, searchWords } from '../domain/search.ts'
import { foldTag } from '../domain/tags.ts'
import type { Usage } from '../domain/usage.ts'
import type { AccountContext } from './context.ts'
import { readPage } from './listing.ts'
import { assetNotFound, assetsExceeded, storageExceeded, unknownAssets } from './refusals.ts'
import { removeParts } from './uploads/in-storage.ts'
import { getUpload } from './uploads/uploads.ts'

/**
 * Removes the asset from all lists, detaches it from its products and frees its bytes immediately. It stays in the
 * trash, unless the deletion is permanent or the service has no trash: in these cases a job removes its objects. An
 * unfinished upload or replacement is cancelled.
 */
export async function deleteAsset(
  context: AccountContext,
  assetId: string,
  { isPermanent = false }: { isPermanent?: boolean | undefined } = {},
): Promise<void> {
  const { data, settings } = context
  const isKept = !isPermanent && settings.trashForMs > 0
  const ended = await (isKept ? moveToTrash(context, assetId) : deletePermanently(context, assetId))
  if (ended) return
  const status = (await data.findAsset(assetId))?.status
  if (status === 'uploading') {
    const cancelled = await data.cancelUpload(assetId)
    if (cancelled.won) return removeParts(context, await getUpload(context, assetId))
    // Its status changed in the meantime: decide again.
    return deleteAsset(context, assetId, { isPermanent })
  }
  // It became ready in the meantime: decide again.
  if (status === 'ready') return deleteAsset(context, assetId, { isPermanent })
  if (status === 'completing') {
    throw new ServiceError(
      'upload_completing',
      'The upload is being completed. Delete the asset once it is ready.',
    )
  }
  throw assetNotFound()
}

async function moveToTrash(context: AccountContext, assetId: string): Promise<boolean> {
  const result = await context.data.trashAssets([assetId])
  if (result.outcome !== 'done') return false
  for (const replacement of result.replacements) await removeParts(context, replacement)
  return result.changed.length > 0
}

async function deletePermanently(context: AccountContext, assetId: string): Promise<boolean> {
  const { won, replacement } = await context.data.deleteAsset(assetId)
  if (replacement) await removeParts(context, replacement)
  return won
}

/**
 * Moves the assets to the trash, or removes them if the deletion is permanent or the service has no trash; all of them
 * or none.
 */
export async function deleteAssets(
  context: AccountContext,
  ids: string[],
  { isPermanent }: { isPermanent: boolean },
): Promise<void> {
  const result = await tryDeleteAssets(context, ids, { isPermanent })
  if (result.outcome === 'assets_not_found') throw unknownAssets(result.unknown)
}

export async function tryDeleteAssets(
  context: AccountContext,
  ids: string[],
  { isPermanent }: { isPermanent: boolean },
): Promise<AssetsOutcome> {
  const { dataOfCall, settings } = context
  const data = dataOfCall()
  const isRemoval = isPermanent || settings.trashForMs === 0
  const result = await (isRemoval ? data.deleteAssets(ids) : data.trashAssets(ids))
  if (result.outcome === 'done') {
    for (const replacement of result.replacements) await removeParts(context, replacement)
  }
  return result
}

/** How many assets the call waits for. A job continues after them. */
const MAX_WAITED_FOR = 10_000

/**
 * Moves all assets that are ready at the time of the call to the trash, in small transactions. If the service has no
 * trash, also removes them. If the call is interrupted, a job continues. Idempotent.
 */
export async function deleteAllAssets(context: AccountContext): Promise<void> {
  const { dataOfCall, settings } = context
  const data = dataOfCall()
  await data.beginTrashAll()
  for (let moved = 0; moved < MAX_WAITED_FOR; ) {
    const count = await data.continueTrashAll()
    if (count === 0) break
    moved += count
  }
  if (settings.trashForMs === 0) await removeTrash(data)
}

/** An empty filter means no filter. */
export interface TrashListRequest extends Omit<TrashQuery, 'words' | 'name' | 'folder' | 'tag'> {
  search?: string | undefined
  filename?: string | undefined
  /** A folder, with or without a slash at its end. */
  path?: string | undefined
  /** A tag in any spelling. */
  tag?: string | undefined
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
  const { isAttached, ...rest } = request
  const query = trashQueryOf(rest)
  const read = isAttached ? async () => ({ rows: [], total: 0 }) : data.listTrash
  const { rows, position } = await readPage(query, read, trashCursorText)
  const assets = rows.map((asset) => ({
    ...asset,
    removedAfter: new Date(asset.trashedAt.getTime() + settings.trashForMs),
  }))
  return { assets, position }
}

export function trashQueryOf(request: Omit<TrashListRequest, 'isAttached'>): TrashQuery {
  const { search = '', filename, path, isDirect, tag, ...rest } = request
  const folder = path === undefined ? undefined : folderOfFilter(path)
  const words = searchWords(search)
  return {
    ...rest,
    ...(isDirect && { isDirect }),
    ...(words.length > 0 && { words }),
    ...(filename && { name: foldText(filename) }),
    ...(folder !== undefined && { folder }),
    ...(tag?.trim() && { tag: foldTag(tag) }),
  }
}

/** Restores the assets with their versions and those of their products that still exist; all of them or none. */
export async function restoreAssets(
  { dataOfCall }: AccountContext,
  ids: string[],
): Promise<Asset[]> {
  return restoredOf(await dataOfCall().restoreAssets(ids), unknownAssets)
}

/** Restores one asset. Repeating the call returns the same result. */
export async function restoreAsset({ data }: AccountContext, id: string): Promise<Asset> {
  const [asset] = restoredOf(await data.restoreAssets([id]), assetNotFound)
  if (asset === undefined) throw assetNotFound()
  return asset
}

function restoredOf(
  result: AssetsRestoreOutcome,
  notFound: (unknown: string[]) => ServiceError,
): Asset[] {
  if (result.outcome === 'assets_not_found') throw notFound(result.unknown)
  if (result.outcome === 'storage_exceeded') throw noRoomToRestore(result)
  if (result.outcome === 'assets_exceeded') {
    throw assetsExceeded(`Restoring needs ${result.needed} assets`, result)
  }
  return result.assets
}

export function noRoomToRestore({ needed, usage }: { needed: number; usage: Usage }): ServiceError {
  return storageExceeded(`Restoring needs ${formatSize(needed)}`, needed, usage)
}

/** Other clients may delete assets meanwhile. The call must end even if they never stop. */
const MAX_PASSES = 5

/** Removes everything that is in the trash, in small transactions. */
export async function emptyTrash({ dataOfCall }: AccountContext): Promise<void> {
  await removeTrash(dataOfCall())
}

async function removeTrash(data: AccountContext['data']): Promise<void> {
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const { rows } = await data.listTrash({ page: 1, perPage: 1 })
    const until = rows[0]?.trashedAt
    if (until === undefined) return
    while ((await data.emptyTrash(until)) > 0);
  }
}
