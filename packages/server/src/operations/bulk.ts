import { MAX_FILTERED_ASSETS } from '@stowage/protocol'
import type { AssetsAttachmentOutcome } from '../database/trash-data.ts'
import { invalid, ServiceError } from '../domain/errors.ts'
import type { ProductSelection } from '../domain/product.ts'
import { type AssetListRequest, assetQueryOf, checkBulkProducts } from './assets.ts'
import type { AccountContext } from './context.ts'
import { noRoomToRestore, type TrashListRequest, trashQueryOf, tryDeleteAssets } from './trash.ts'

/** Ready assets, or assets in the trash. */
export type AssetSelection =
  | { from: 'assets'; request: AssetListRequest }
  | { from: 'trash'; request: TrashListRequest }

export type BulkChange =
  | { action: 'delete'; isPermanent: boolean }
  | { action: 'restore' }
  | { action: 'attach' | 'detach'; products: ProductSelection }

/** A changed asset, and the products that were attached or detached. */
export interface ChangedAsset {
  id: string
  productIds?: string[]
}

/** Other clients may delete assets meanwhile. The call must end even if they never stop. */
const MAX_TRIES = 5

/**
 * Changes all assets that match now, in one atomic change, if their number is about the expected one. Assets that others
 * delete or restore before they are changed are left out. Returns those that changed.
 */
export async function changeSelection(
  context: AccountContext,
  { selection, expected }: { selection: AssetSelection; expected: number },
  change: BulkChange,
): Promise<{ matched: number; changed: ChangedAsset[] }> {
  let ids = await selectIds(context, selection)
  const matched = ids.length
  if (matched > MAX_FILTERED_ASSETS) {
    throw invalid({
      filter: [
        `matches more than ${MAX_FILTERED_ASSETS} assets: add a filter, or send several calls`,
      ],
    })
  }
  if (!isAboutExpected(matched, expected)) throw selectionChanged(matched, expected)
  for (let tries = 0; tries < MAX_TRIES && ids.length > 0; tries += 1) {
    const result = await applyTo(context, ids, change)
    if ('changed' in result) return { matched, changed: result.changed }
    const unknown = new Set(result.unknown)
    ids = ids.filter((id) => !unknown.has(id))
  }
  if (ids.length === 0) return { matched, changed: [] }
  throw selectionChanged(ids.length, expected)
}

async function selectIds({ data }: AccountContext, selection: AssetSelection): Promise<string[]> {
  const limit = MAX_FILTERED_ASSETS + 1
  if (selection.from === 'assets') {
    return data.selectAssets(assetQueryOf(selection.request), limit)
  }
  const { isAttached, ...request } = selection.request
  return isAttached ? [] : data.selectTrash(trashQueryOf(request), limit)
}

/** Others may add or delete a few assets between the decision and the call. */
function isAboutExpected(matched: number, expected: number): boolean {
  return Math.abs(matched - expected) <= Math.max(1, Math.floor(expected / 100))
}

function selectionChanged(matched: number, expected: number): ServiceError {
  return new ServiceError(
    'selection_changed',
    `The filter matches ${matched} assets now, not ${expected}. Read the list again, and repeat the call with the new number.`,
    { details: { matched, expected } },
  )
}

async function applyTo(
  context: AccountContext,
  ids: string[],
  change: BulkChange,
): Promise<{ changed: ChangedAsset[] } | { unknown: string[] }> {
  const data = context.dataOfCall()
  if (change.action === 'delete') {
    const result = await tryDeleteAssets(context, ids, change)
    return result.outcome === 'done' ? { changed: result.changed.map((id) => ({ id })) } : result
  }
  if (change.action === 'restore') {
    const result = await data.restoreAssets(ids)
    if (result.outcome === 'storage_exceeded') throw noRoomToRestore(result)
    return result.outcome === 'restored'
      ? { changed: result.changed.map((id) => ({ id })) }
      : result
  }
  const result: AssetsAttachmentOutcome = await (change.action === 'attach'
    ? data.attachAssets(ids, change.products)
    : data.detachAssets(ids, change.products))
  if (result.outcome === 'assets_not_found') return result
  checkBulkProducts(result, 'filter')
  const changed = result.outcome === 'done' ? result.changed : []
  return { changed: changed.map(({ assetId: id, productIds }) => ({ id, productIds })) }
}
