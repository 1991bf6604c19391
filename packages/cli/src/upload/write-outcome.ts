import { isStowageError } from '@stowage/client/node'
import type { Connection } from '../connection/resolve-connection.ts'
import { explain } from '../connection/with-client.ts'
import { Interrupted } from '../interrupt.ts'
import { writeItem, writeMessage } from '../output.ts'
import { sanitize } from '../text/sanitize.ts'
import type { Outcome } from './send-files.ts'

/** Says of each file what became of it, and counts. */
export function openReport({ connection, json }: { connection: Connection; json: boolean }) {
  const counts = { arrived: 0, before: 0, failed: 0 }

  function write(outcome: Outcome): void {
    const file = outcome.file.label
    if ('asset' in outcome) {
      counts.arrived += 1
      const { asset, wasThere } = outcome
      if (wasThere) counts.before += 1
      const text = sanitize(`${asset.id}  ${asset.size.padStart(8)}  ${asset.filename}`)
      writeItem({ file, asset }, { json, text })
      return
    }
    const { error } = outcome
    if (error instanceof Interrupted) {
      const problem = { code: 'interrupted', message: 'It was interrupted.' }
      if (json) writeItem({ file, error: problem }, { json, text: '' })
      return
    }
    counts.failed += 1
    const problem = problemOf(error, connection)
    writeMessage(`stowage: ${sanitize(file)}: ${problem.message}`)
    if (json) writeItem({ file, error: problem }, { json, text: '' })
  }

  return { write, counts: () => counts }
}

function problemOf(error: unknown, connection: Connection): { code: string; message: string } {
  if (!isStowageError(error)) {
    return {
      code: 'failed',
      message: sanitize(error instanceof Error ? error.message : String(error)),
    }
  }
  const { code } = error
  if (code === 'file_changed') {
    const message = 'it changed while it was sent; the same command sends it from the beginning'
    return { code, message }
  }
  return { code, message: explain(error, connection) }
}
