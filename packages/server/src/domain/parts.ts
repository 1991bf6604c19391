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

/** A part as the caller lists it. The ETag may be quoted. */
export interface NamedPart {
  number: number
  etag: string
}

export interface ReceivedPart extends NamedPart {
  size: number
}

interface PartMatch {
  /** One per part of the plan, in order. Incomplete if there are problems. */
  parts: NamedPart[]
  /** Clauses for the error message that name the part numbers. */
  problems: string[]
}

/** How many part numbers a problem lists; it only counts the rest. */
const MAX_LISTED_PARTS = 20

/**
 * Compares the parts that the caller lists with those in the storage. Parts that the caller omits are
 * taken from the storage; each listed part must be stored with the same ETag and listed once.
 */
export function matchParts(
  plan: PartPlan,
  received: ReceivedPart[],
  named: NamedPart[],
): PartMatch {
  const receivedByNumber = new Map(received.map((part) => [part.number, part]))
  const count = new Map<number, number>()
  for (const { number } of named) count.set(number, (count.get(number) ?? 0) + 1)

  const ranges = partRanges(plan)
  const missing = ranges
    .filter((range) => receivedByNumber.get(range.number)?.size !== partLength(range))
    .map((range) => range.number)
  const isMissing = new Set(missing)
  const unknown = [...count.keys()].filter((number) => number > plan.count || number < 1)
  const beyond = numbersBeyond(plan, received)
  const twice = [...count].filter(([, times]) => times > 1).map(([number]) => number)
  const wrong = named
    .filter(({ number, etag }) => {
      const part = receivedByNumber.get(number)
      return part !== undefined && !isMissing.has(number) && part.etag !== unquote(etag)
    })
    .map(({ number }) => number)

  return {
    parts: ranges.flatMap((range) => receivedByNumber.get(range.number) ?? []),
    problems: [
      ...clause(missing, 'not received: send them before completing'),
      ...clause(wrong, 'stored with another ETag: send them again, or list the right ETag'),
      ...clause(twice, 'listed more than once'),
      ...clause(beyond, 'received beyond the size: declare a larger size, or cancel the upload'),
      ...clause(unknown, `not part of this upload, whose last part is ${plan.count}`),
    ],
  }
}

/**
 * The numbers of parts that are missing, have the wrong length, are beyond the plan, or have another
 * ETag than the caller listed. The ETag of a part that is not listed is not compared.
 */
export function partsAtFault(
  received: ReceivedPart[],
  plan: PartPlan,
  named: NamedPart[],
): number[] {
  const receivedByNumber = new Map(received.map((part) => [part.number, part]))
  const etags = new Map(named.map(({ number, etag }) => [number, etag]))
  const atFault = partRanges(plan)
    .filter((range) => {
      const part = receivedByNumber.get(range.number)
      const etag = etags.get(range.number) ?? part?.etag
      return part?.size !== partLength(range) || part.etag !== etag
    })
    .map((range) => range.number)
  return [...atFault, ...numbersBeyond(plan, received)]
}

/**
 * The received parts beyond the plan: URLs that were signed for a larger size stay valid. Some storage builds the object
 * from every stored part.
 */
export function numbersBeyond(plan: PartPlan, received: ReceivedPart[]): number[] {
  return received.map(({ number }) => number).filter((number) => number > plan.count)
}

/** Clients send the `ETag` header unchanged or without its quotes. */
function unquote(etag: string): string {
  return etag.replace(/^"(.*)"$/, '$1')
}

function clause(numbers: number[], problem: string): string[] {
  if (numbers.length === 0) return []
  const distinct = [...new Set(numbers)].sort((a, b) => a - b)
  const listed = distinct.slice(0, MAX_LISTED_PARTS).join(', ')
  const more =
    distinct.length > MAX_LISTED_PARTS ? ` and ${distinct.length - MAX_LISTED_PARTS} more` : ''
  return [`${listed}${more} ${problem}`]
}

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
