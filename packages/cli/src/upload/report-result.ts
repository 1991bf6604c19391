import { INTERRUPTED } from '../interrupt.ts'
import { writeMessage } from '../output.ts'
import { sanitize } from '../text/sanitize.ts'
import type { UploadPlan } from './check-upload.ts'
import type { UploadResult } from './send-files.ts'
import { isSpooled, removeSpooled } from './spool-stdin.ts'

const MAX_LISTED = 20

/** Summarizes the upload and removes its temporary data. Returns the exit code. */
export async function reportResult(
  plan: UploadPlan,
  result: UploadResult,
  signal: AbortSignal,
): Promise<number> {
  const { files, resumeWith } = plan
  const { completed, failed, percent } = result
  reportSkipped(plan, result)
  if (completed === files.length) {
    // Every copy of standard input has its own path, so its record can never be used again.
    await plan.completed.forget(files.filter(({ path }) => isSpooled(path)))
    for (const { path } of files) await removeSpooled(path)
    return 0
  }
  if (!signal.aborted) {
    writeMessage(
      `${failed} of ${files.length} files failed. To send only the missing parts, run:\n  ${resumeWith}`,
    )
    return 1
  }
  const count = files.length === 1 ? '' : `, ${completed} of ${files.length} files completed`
  writeMessage(`Paused at ${percent} %${count}. To resume, run:\n  ${resumeWith}`)
  reportUnfinished(plan, result)
  return INTERRUPTED
}

function reportSkipped({ files }: UploadPlan, { skipped }: UploadResult): void {
  if (skipped.length === 0) return
  const count = skipped.length === 1 ? '1 file was' : `${skipped.length} files were`
  const labels = files.length === 1 ? [] : listed(skipped.map(({ label }) => label))
  writeMessage(
    [`${count} already uploaded and skipped. Pass --again to upload again.`, ...labels].join('\n'),
  )
}

/** The parts that were sent stay on the server until the upload expires. */
function reportUnfinished({ program }: UploadPlan, { unfinished }: UploadResult): void {
  const ids = unfinished.flatMap(({ id }) => (id === undefined ? [] : [id]))
  if (ids.length === 0) return
  const shown = ids.length > 1 ? `ID… (${program} uploads lists the IDs)` : ids[0]
  writeMessage(`To discard the data that was sent, run:\n  ${program} cancel ${shown}`)
}

function listed(labels: string[]): string[] {
  const more = labels.length - MAX_LISTED
  const lines = labels.slice(0, MAX_LISTED).map((label) => `  ${sanitize(label)}`)
  return more > 0 ? [...lines, `  and ${more} more`] : lines
}
