import type { Verdict } from '../judge.ts'
import type { Spread } from '../measure.ts'
import type { Result } from './result.ts'

/** Formats a number with up to three decimal places: fewer for larger numbers. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return '–'
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}

export function spreadText({ least, most }: Spread): string {
  return `${formatNumber(least)} to ${formatNumber(most)}`
}

/** The ratio of a contender's result to ours, or undefined if there is nothing to compare. */
export function timesOurs(result: Result, contender: number, figure: string): number | undefined {
  const ours = result.measurements[0]?.figures[figure]?.median
  const theirs = result.measurements[contender]?.figures[figure]?.median
  if (contender === 0 || ours === undefined || theirs === undefined) return undefined
  return theirs / ours
}

export interface VerdictText {
  label: string
  target: string
  value: string
  mark: 'met' | 'MISSED' | 'not measured'
}

export function describeVerdict({ figures, measurements }: Result, verdict: Verdict): VerdictText {
  const { target, value, isMet } = verdict
  const { figure, of, times, limit } = target
  const titleOf = (name: string) => figures[name]?.title ?? name
  const ours = of ?? measurements[0]?.name ?? ''
  const other = [times?.contender, times?.figure && titleOf(times.figure)]
    .filter(Boolean)
    .join(', ')
  const unit = times ? ' times' : ` ${figures[figure]?.unit ?? ''}`
  const [word, bound] = 'atLeast' in limit ? ['at least', limit.atLeast] : ['below', limit.below]
  return {
    label: `${titleOf(figure)}, ${ours}${times ? ` against ${other}` : ''}`,
    target: `${word} ${formatNumber(bound)}${unit}`,
    value: value === undefined ? '–' : `${formatNumber(value)}${unit}`,
    mark: value === undefined ? 'not measured' : isMet ? 'met' : 'MISSED',
  }
}
