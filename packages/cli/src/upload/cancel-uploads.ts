import { isStowageError, type Upload } from '@stowage/client/node'
import { writeMessage } from '../output.ts'
import { sanitize } from '../text/sanitize.ts'

const SLOW_MS = 2_000
const SLOW =
  'Cancelling. Press Ctrl-C again to exit now; the service removes the upload when it expires.'

/** Cancels the uploads on the server. Those that cannot be cancelled now expire later. */
export async function cancelUploads(uploads: Upload[]): Promise<void> {
  const timer = setTimeout(() => writeMessage(SLOW), SLOW_MS)
  const results = await Promise.allSettled(uploads.map((upload) => upload.cancel()))
  clearTimeout(timer)
  const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  const count = results.length - failed.length
  writeMessage(`Cancelled: ${count === 1 ? '1 upload' : `${count} uploads`}.`)
  for (const error of failed) {
    if (isStowageError(error, 'already_uploaded')) writeMessage('One upload was already complete.')
    else
      writeMessage(sanitize(`One upload could not be cancelled and will expire: ${error.message}`))
  }
}
