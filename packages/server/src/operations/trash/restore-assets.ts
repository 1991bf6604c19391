import { formatSize } from '@stowage/protocol/format'
import type { AssetsRestoreOutcome } from '../../database/trash-data.ts'
import type { Asset } from '../../domain/asset.ts'
import type { ServiceError } from '../../errors.ts'
import { assetNotFound } from '../assets/asset-not-found.ts'
import { unknownAssets } from '../assets/unknown-assets.ts'
import type { AccountContext } from '../context.ts'
import { storageExceeded } from '../uploads/storage-exceeded.ts'

/** Restores the assets with their versions and those of their products that still exist; all of them or none. */
export async function restoreAssets({ data }: AccountContext, ids: string[]): Promise<Asset[]> {
  return restoredOf(await data.restoreAssets(ids), unknownAssets)
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
  if (result.outcome === 'storage_exceeded') {
    const { needed, usage } = result
    throw storageExceeded(`Restoring needs ${formatSize(needed)}`, needed, usage)
  }
  return result.assets
}
