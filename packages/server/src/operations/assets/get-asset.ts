import { type Asset, isVisible } from '../../domain/asset.ts'
import type { AccountContext } from '../context.ts'
import { assetNotFound } from './asset-not-found.ts'

export async function getAsset({ data }: AccountContext, assetId: string): Promise<Asset> {
  const asset = await data.findAsset(assetId)
  if (asset === undefined || !isVisible(asset.status)) throw assetNotFound()
  return asset
}
