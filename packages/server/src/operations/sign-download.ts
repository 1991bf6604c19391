import { partPlan } from '../domain/parts.ts'
import { ServiceError } from '../errors.ts'
import type { Context } from './context.ts'
import { getAsset } from './get-asset.ts'
import { getUpload, type UploadReference } from './get-upload.ts'

/** Long enough to start and to seek in; a longer download asks for a fresh address. */
const DOWNLOAD_MS = 3_600_000

/** A short-lived address of the asset's bytes; for a link, its own address. */
export async function signDownload(context: Context, reference: UploadReference): Promise<string> {
  const asset = await getAsset(context, reference)
  if (asset.url !== null) return asset.url
  if (asset.status !== 'ready') {
    throw new ServiceError(
      'not_ready',
      'The file is still uploading. GET the asset’s /upload to see what is missing.',
    )
  }
  const { chunkSize } = await getUpload(context, reference)
  const object = {
    key: asset.id,
    plan: partPlan(asset.bytes, chunkSize),
    filename: asset.filename,
    mime: asset.mime,
  }
  return context.storage.signDownload(object, new Date(context.clock().getTime() + DOWNLOAD_MS))
}
