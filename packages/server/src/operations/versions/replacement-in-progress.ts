import { ServiceError } from '../../errors.ts'

/** An asset has at most one unfinished replacement. */
export function replacementInProgress(uploadId: string): ServiceError {
  return new ServiceError(
    'replacement_in_progress',
    'Another replacement of this asset is unfinished. Resume it with GET /assets/:id/upload?upload_id=…, or cancel it.',
    { details: { upload_id: uploadId } },
  )
}
