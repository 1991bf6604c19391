import type { ErrorCode } from '@stowage/protocol/errors'
import { DamagedObject, MissingObject, UnreadableObject } from '../../errors.ts'
import { isSystemError } from './file-system.ts'

/** The response to a request that failed before its response began. */
export function refusalOf(error: unknown): { code: ErrorCode; message: string } {
  if (error instanceof MissingObject) {
    return { code: 'object_not_found', message: 'The file is no longer stored here.' }
  }
  if (error instanceof UnreadableObject || isSystemError(error)) {
    return {
      code: 'storage_unavailable',
      message:
        'The disk of the storage failed. The log of the service has the reason. Retry in a moment.',
    }
  }
  if (error instanceof DamagedObject) {
    return {
      code: 'damaged',
      message:
        'The stored file is damaged: it has changed since the upload. Replace the file, or restore another version.',
    }
  }
  return {
    code: 'internal',
    message: 'The storage failed. The log of the service has the reason. Retry the request.',
  }
}
