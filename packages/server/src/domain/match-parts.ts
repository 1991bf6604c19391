import { type PartPlan, partLength, partRanges } from './parts.ts'

/** A part as the caller names it; the ETag may still have its quotes. */
export interface NamedPart {
  number: number
  etag: string
}

export interface HeldPart extends NamedPart {
  size: number
}

export interface PartMatch {
  /** One per part of the plan, in order; complete only without problems. */
  parts: NamedPart[]
  /** Sentences for the caller that name the part numbers at fault. */
  problems: string[]
}

/** How many part numbers a sentence lists before it only counts. */
const LISTED = 20

/**
 * Compares what the caller says it sent with what the storage holds. What the caller leaves out is
 * taken from the storage; what it names must be there, once, with that ETag.
 */
export function matchParts(plan: PartPlan, held: HeldPart[], named: NamedPart[]): PartMatch {
  const heldByNumber = new Map(held.map((part) => [part.number, part]))
  const count = new Map<number, number>()
  for (const { number } of named) count.set(number, (count.get(number) ?? 0) + 1)

  const ranges = partRanges(plan)
  const missing = ranges
    .filter((range) => heldByNumber.get(range.number)?.size !== partLength(range))
    .map((range) => range.number)
  const isMissing = new Set(missing)
  const unknown = [...count.keys()].filter((number) => number > plan.count || number < 1)
  const beyond = numbersBeyond(plan, held)
  const twice = [...count].filter(([, times]) => times > 1).map(([number]) => number)
  const wrong = named
    .filter(({ number, etag }) => {
      const part = heldByNumber.get(number)
      return part !== undefined && !isMissing.has(number) && part.etag !== unquote(etag)
    })
    .map(({ number }) => number)

  return {
    parts: ranges.flatMap((range) => heldByNumber.get(range.number) ?? []),
    problems: [
      ...sentence(missing, 'not received: send before completing'),
      ...sentence(wrong, 'stored with another ETag: send again, or name the right one'),
      ...sentence(twice, 'named more than once'),
      ...sentence(beyond, 'received beyond the size: declare a larger size, or cancel the upload'),
      ...sentence(unknown, `not a part of this upload, which has ${plan.count}`),
    ],
  }
}

/**
 * The parts that are missing, of another length, beyond the plan, or not those that are named. What
 * is not named is taken as it is held.
 */
export function partsAtFault(held: HeldPart[], plan: PartPlan, named: NamedPart[]): number[] {
  const heldByNumber = new Map(held.map((part) => [part.number, part]))
  const etags = new Map(named.map(({ number, etag }) => [number, etag]))
  const atFault = partRanges(plan)
    .filter((range) => {
      const part = heldByNumber.get(range.number)
      const etag = etags.get(range.number) ?? part?.etag
      return part?.size !== partLength(range) || part.etag !== etag
    })
    .map((range) => range.number)
  return [...atFault, ...numbersBeyond(plan, held)]
}

/** Parts that were sent before the size shrank. Stores make the object of every part that they hold. */
export function numbersBeyond(plan: PartPlan, held: HeldPart[]): number[] {
  return held.map(({ number }) => number).filter((number) => number > plan.count)
}

/** Clients send the header as it is, or without its quotes. */
function unquote(etag: string): string {
  return etag.replace(/^"(.*)"$/, '$1')
}

function sentence(numbers: number[], problem: string): string[] {
  if (numbers.length === 0) return []
  const distinct = [...new Set(numbers)].sort((a, b) => a - b)
  const listed = distinct.slice(0, LISTED).join(', ')
  const more = distinct.length > LISTED ? ` and ${distinct.length - LISTED} more` : ''
  return [`${listed}${more} ${problem}`]
}
