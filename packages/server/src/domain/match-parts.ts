import { type PartPlan, partLength, partRanges } from './parts.ts'

/** A part as the caller lists it. The ETag may be quoted. */
export interface NamedPart {
  number: number
  etag: string
}

export interface ReceivedPart extends NamedPart {
  size: number
}

export interface PartMatch {
  /** One per part of the plan, in order. Incomplete if there are problems. */
  parts: NamedPart[]
  /** Clauses for the error message that name the part numbers. */
  problems: string[]
}

/** How many part numbers a problem lists; it only counts the rest. */
const LISTED = 20

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
  const listed = distinct.slice(0, LISTED).join(', ')
  const more = distinct.length > LISTED ? ` and ${distinct.length - LISTED} more` : ''
  return [`${listed}${more} ${problem}`]
}
