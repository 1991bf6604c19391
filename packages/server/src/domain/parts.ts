/** One part of a file: the bytes from `start` to `end` (exclusive). */
export interface PartRange {
  number: number
  start: number
  end: number
}

export interface PartPlan {
  size: number
  /** Every part but the last is exactly this long. */
  chunkSize: number
  count: number
}

/** The largest part that S3 accepts. It is the limit for every storage. */
export const MAX_PART_SIZE = 5 * 1024 ** 3

/** The chunk size grows only as far as the limit on the number of parts requires. */
export function planParts(size: number, limits: { chunkSize: number; maxParts: number }): PartPlan {
  const chunkSize = Math.max(limits.chunkSize, divideRoundingUp(size, limits.maxParts))
  return partPlan(size, chunkSize)
}

/** The plan of a file whose chunk size is known. */
export function partPlan(size: number, chunkSize: number): PartPlan {
  // An empty file has one empty part: a multipart upload of no parts cannot be completed.
  return { size, chunkSize, count: Math.max(1, divideRoundingUp(size, chunkSize)) }
}

export function partRange(plan: PartPlan, number: number): PartRange {
  const start = (number - 1) * plan.chunkSize
  return { number, start, end: Math.min(start + plan.chunkSize, plan.size) }
}

export function partRanges(plan: PartPlan): PartRange[] {
  return Array.from({ length: plan.count }, (_, index) => partRange(plan, index + 1))
}

export function partLength(range: PartRange): number {
  return range.end - range.start
}

/** Exact up to 2^53, where `Math.ceil(a / b)` already rounds a small remainder away. */
function divideRoundingUp(dividend: number, divisor: number): number {
  const remainder = dividend % divisor
  return (dividend - remainder) / divisor + (remainder > 0 ? 1 : 0)
}
