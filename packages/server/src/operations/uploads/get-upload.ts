import type { Upload } from '../../domain/asset.ts'
import { assetNotFound } from '../assets/asset-not-found.ts'
import type { AccountContext } from '../context.ts'

/** The upload of a file, even if it was completed, cancelled or has expired. */
export async function getUpload({ data }: AccountContext, assetId: string): Promise<Upload> {
  const upload = await data.findUpload(assetId)
  if (upload === undefined) throw assetNotFound()
  return upload
}
