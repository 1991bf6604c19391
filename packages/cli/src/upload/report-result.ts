import { INTERRUPTED, type Interruption } from '../interrupt.ts'
import { writeMessage } from '../output.ts'
import { cancelUploads } from './cancel-uploads.ts'
import type { UploadPlan } from './check-upload.ts'
import type { UploadResult } from './send-files.ts'
import { removeSpooled } from './spool-stdin.ts'

const SECOND_INTERRUPT_MS = 3_000

/**
 * Summarizes the upload and removes its temporary data. After an interruption, a second Ctrl-C
 * cancels the unfinished uploads. Returns the exit code.
 */
export async function reportResult(
  plan: UploadPlan,
  result: UploadResult,
  interruption: Interruption,
): Promise<number> {
  const { files, resumeWith } = plan
  const { completed, skipped, failed, percent } = result
  if (skipped > 0) {
    writeMessage(`${skipped} of ${files.length} files were uploaded earlier and not sent again.`)
  }
  if (completed === files.length) {
    await plan.completed.forget(files)
    await removeAllSpooled(plan)
    return 0
  }
  if (!interruption.signal.aborted) {
    writeMessage(
      `${failed} of ${files.length} files failed. To send only the missing parts, run:\n  ${resumeWith}`,
    )
    return 1
  }
  const count = files.length === 1 ? '' : `, ${completed} of ${files.length} files completed`
  writeMessage(`Paused at ${percent} %${count}. To resume, run:\n  ${resumeWith}`)
  if (process.stderr.isTTY) writeMessage('Press Ctrl-C again within 3 seconds to cancel.')
  if (await interruption.again(SECOND_INTERRUPT_MS)) {
    await cancelUploads(result.unfinished)
    await removeAllSpooled(plan)
  }
  return INTERRUPTED
}

async function removeAllSpooled({ files }: UploadPlan): Promise<void> {
  for (const { path } of files) await removeSpooled(path)
}
