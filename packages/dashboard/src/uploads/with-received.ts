import type { Progress } from '@stowage/client'
import type { ResumableUpload } from './resumable-upload.ts'

/** Until the client has compared the file with its upload, the progress shows the bytes that the service received. */
export function withReceived(progress: Progress, resumed: ResumableUpload | undefined): Progress {
  if (progress.parts.total > 0 || resumed?.received === undefined) return progress
  return { ...progress, bytes: resumed.received }
}
