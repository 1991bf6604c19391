import { type Asset, isVisible } from '../../domain/asset.ts'
import { ServiceError } from '../../errors.ts'
import type { AccountContext } from '../context.ts'

/** What is another's and what never was are the same to the caller. */
export function assetNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no such asset. Check its id.')
}

export async function getAsset({ data }: AccountContext, assetId: string): Promise<Asset> {
  const asset = await data.findAsset(assetId)
  if (asset === undefined || !isVisible(asset.status)) throw assetNotFound()
  return asset
}
