import { isStowageError } from '@stowage/client/node'
import type { Connection } from '../connection/resolve-connection.ts'
import { explain } from '../connection/with-client.ts'
import { Interrupted } from '../interrupt.ts'
import { writeItem, writeMessage } from '../output.ts'
import { fullName } from '../text/full-name.ts'
import { sanitize } from '../text/sanitize.ts'
import type { UploadPlan } from './check-upload.ts'
import type { Outcome } from './send-file.ts'

/** Writes the asset to standard output, or the error to standard error. */
export function writeOutcome(outcome: Outcome, { connection, request }: UploadPlan): void {
  const { json } = request
  const file = outcome.file.label
  if ('asset' in outcome) {
    const { asset } = outcome
    const text = sanitize(`${asset.id}  ${asset.size.padStart(8)}  ${fullName(asset)}`)
    writeItem(outcome.isSkipped ? { file, asset, skipped: true } : { file, asset }, { json, text })
    return
  }
  const error = describeError(outcome.error, connection)
  if (error.code !== 'interrupted') writeMessage(`stowage: ${sanitize(file)}: ${error.message}`)
  if (json) writeItem({ file, error }, { json, text: '' })
}

function describeError(error: unknown, connection: Connection): { code: string; message: string } {
  if (error instanceof Interrupted) return { code: 'interrupted', message: 'Interrupted.' }
  if (!isStowageError(error)) {
    const message = error instanceof Error ? error.message : String(error)
    return { code: 'failed', message: sanitize(message) }
  }
  const { code } = error
  if (code === 'file_changed') {
    const message = 'The file changed while it was sent. Run the same command again to send it.'
    return { code, message }
  }
  return { code, message: explain(error, connection) }
}
