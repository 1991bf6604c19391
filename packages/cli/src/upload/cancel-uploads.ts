import { isStowageError, type Upload } from '@stowage/client/node'
import { writeMessage } from '../output.ts'
import { sanitize } from '../text/sanitize.ts'

const SLOW_MS = 2_000
const SLOW = 'Cancelling. Ctrl-C once more leaves it to the service, where it expires by itself.'

/** Has the service forget what has not arrived. What can't be cancelled now expires by itself. */
export async function cancelUploads(uploads: Upload[]): Promise<void> {
  const timer = setTimeout(() => writeMessage(SLOW), SLOW_MS)
  const results = await Promise.allSettled(uploads.map((upload) => upload.cancel()))
  clearTimeout(timer)
  const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  const count = results.length - failed.length
  writeMessage(`Cancelled: ${count === 1 ? '1 upload' : `${count} uploads`}.`)
  for (const error of failed) {
    if (isStowageError(error, 'already_uploaded')) writeMessage('One had arrived already.')
    else
      writeMessage(sanitize(`One could not be cancelled, and expires by itself: ${error.message}`))
  }
}
