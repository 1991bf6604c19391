import type { Upload } from '../../domain/asset.ts'
import { invalid } from '../../errors.ts'
import { assetNotFound } from '../assets/get-asset.ts'
import type { AccountContext } from '../context.ts'

/** The upload of a file, also after it ended. */
export async function getUpload({ data }: AccountContext, assetId: string): Promise<Upload> {
  const upload = await data.findUpload(assetId)
  if (upload === undefined) throw assetNotFound()
  return upload
}

export function checkUploadId(upload: Upload, uploadId: string): void {
  // UUIDs are the same in either case.
  if (upload.id !== uploadId.toLowerCase()) {
    throw invalid({ upload_id: ['does not belong to this asset'] })
  }
}
