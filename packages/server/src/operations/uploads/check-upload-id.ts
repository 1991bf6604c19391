import type { Upload } from '../../domain/asset.ts'
import { invalid } from '../../errors.ts'

export function checkUploadId(upload: Upload, uploadId: string): void {
  // UUIDs are not case-sensitive.
  if (upload.id !== uploadId.toLowerCase()) {
    throw invalid({ uploadId: ['does not belong to this asset'] })
  }
}
