import { partLength, partPlan, partRange } from './parts.ts'

/** The parts of an upload that need not be sent again. */
export interface ReceivedParts {
  parts: number
  bytes: number
}

/** A part whose length does not fit the plan counts as missing, as it does when the upload resumes. */
export function countReceived(
  upload: { asset: { bytes: number }; chunkSize: number },
  stored: { number: number; size: number }[],
): ReceivedParts {
  const plan = partPlan(upload.asset.bytes, upload.chunkSize)
  const fitting = stored.filter(
    ({ number, size }) => number <= plan.count && size === partLength(partRange(plan, number)),
  )
  return { parts: fitting.length, bytes: fitting.reduce((sum, { size }) => sum + size, 0) }
}
