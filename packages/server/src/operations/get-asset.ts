import { type Asset, isVisible } from '../domain/asset.ts'
import type { Context } from './context.ts'
import { assetNotFound, type UploadReference } from './get-upload.ts'

export async function getAsset(
  { database }: Context,
  { accountId, assetId }: UploadReference,
): Promise<Asset> {
  const asset = await database.findAsset(accountId, assetId)
  if (asset === undefined || !isVisible(asset.status)) throw assetNotFound()
  return asset
}
