import type { Upload } from '../domain/asset.ts'
import { ServiceError } from '../errors.ts'
import { carryOutRemoval } from './carry-out-removal.ts'
import type { Context } from './context.ts'
import { assetNotFound, checkUploadId, getUpload, type UploadReference } from './get-upload.ts'

/** Frees the reserved bytes at once and removes the parts. Repeating it gives the same answer. */
export async function cancelUpload(
  context: Context,
  request: UploadReference & { uploadId: string },
): Promise<Upload> {
  const upload = await getUpload(context, request)
  checkUploadId(upload, request.uploadId)
  const { removal, status } = await context.database.cancelUpload(upload.asset.id, context.clock())
  // It is cancelled, whether or not the storage answers now: a job sees to what is left.
  if (removal !== undefined) await carryOutRemoval(context, removal)
  if (status === 'cancelled') return upload
  if (status === 'ready') {
    throw new ServiceError(
      'already_uploaded',
      'The upload was completed already. Delete the asset if it is not wanted.',
    )
  }
  if (status === 'completing') {
    throw new ServiceError(
      'upload_completing',
      'The upload is being completed. Read the asset: it will be ready in a moment.',
    )
  }
  throw assetNotFound()
}
