import type { Upload } from '../domain/asset.ts'
import { invalid, ServiceError } from '../errors.ts'
import type { Context } from './context.ts'

export interface UploadReference {
  accountId: string
  assetId: string
}

/** What is another's and what never was are the same to the caller. */
export function assetNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no such asset. Check its id.')
}

export async function getUpload(
  { database }: Context,
  { accountId, assetId }: UploadReference,
): Promise<Upload> {
  const upload = await database.findUpload(accountId, assetId)
  if (upload === undefined) throw assetNotFound()
  return upload
}

export function checkUploadId(upload: Upload, uploadId: string): void {
  // UUIDs are the same in either case.
  if (upload.id !== uploadId.toLowerCase()) {
    throw invalid({ upload_id: ['does not belong to this asset'] })
  }
}
