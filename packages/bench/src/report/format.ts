import type { Verdict } from '../judge.ts'
import type { Spread } from '../measure.ts'
import type { Result } from './result.ts'

/** Formats a number with up to three decimal places: fewer for larger numbers. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return '–'
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}

export function spreadText({ min, max }: Spread): string {
  return `${formatNumber(min)} to ${formatNumber(max)}`
}

/** The ratio of a contender's result to that of Stowage. Undefined for Stowage, and if one of the two is missing. */
export function ratioToStowage(
  result: Result,
  contender: number,
  metric: string,
): number | undefined {
  const stowage = result.measurements[0]?.metrics[metric]?.median
  const other = result.measurements[contender]?.metrics[metric]?.median
  if (contender === 0 || stowage === undefined || other === undefined) return undefined
  return other / stowage
}

export interface VerdictText {
  label: string
  target: string
  value: string
  mark: 'met' | 'MISSED' | 'not measured'
}

export function describeVerdict({ metrics, measurements }: Result, verdict: Verdict): VerdictText {
  const { target, value, isMet } = verdict
  const { metric, contender, relativeTo, limit } = target
  const titleOf = (name: string) => metrics[name]?.title ?? name
  const program = nameText(contender ?? measurements[0]?.name ?? '')
  const other = [
    relativeTo?.contender && nameText(relativeTo.contender),
    relativeTo?.metric && `“${titleOf(relativeTo.metric)}”`,
  ]
    .filter(Boolean)
    .join(', ')
  const unit = relativeTo ? ' times' : ` ${metrics[metric]?.unit ?? ''}`
  const [word, bound] = 'atLeast' in limit ? ['at least', limit.atLeast] : ['below', limit.below]
  return {
    label: `${titleOf(metric)}: ${program}${relativeTo ? ` compared with ${other}` : ''}`,
    target: `${word} ${formatNumber(bound)}${unit}`,
    value: value === undefined ? '–' : `${formatNumber(value)}${unit}`,
    mark: value === undefined ? 'not measured' : isMet ? 'met' : 'MISSED',
  }
}

/** `Fastify, hello world` becomes `Fastify (hello world)`, because the name is part of a longer text. */
function nameText(name: string): string {
  return name.replace(/, (.+)$/, ' ($1)')
}
