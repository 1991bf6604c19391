import type { Spread, Verdict } from '../measure.ts'
import type { Result } from './result.ts'

/** The result as text for a terminal. */
export function tableOf(result: Result): string {
  const lines = ['', `${result.name}: ${result.title}`]
  for (const { name, failure: reason } of result.measurements) {
    if (reason !== undefined) lines.push(`  NOT MEASURED ${name}: ${reason}`)
  }
  for (const [metric, { title, unit, better }] of Object.entries(result.metrics)) {
    lines.push(`  ${title}, ${unit} (${better} is better)`)
    for (const [index, { name, metrics }] of result.measurements.entries()) {
      const spread = metrics[metric]
      if (spread === undefined) continue
      const ratio = ratioToStowage(result, index, metric)
      const comparison = ratio === undefined ? '' : `${formatNumber(ratio)} × Stowage`
      lines.push(
        `    ${name.padEnd(28)}${formatNumber(spread.median).padStart(10)}   ${spreadText(spread).padEnd(22)}${comparison.padStart(18)}`,
      )
    }
  }
  for (const verdict of result.verdicts) {
    const { label, target, value, mark } = describeVerdict(result, verdict)
    lines.push(`  ${mark.padEnd(12)} ${label}, ${value} (${target})`)
  }
  return lines.join('\n')
}

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
function ratioToStowage(result: Result, contender: number, metric: string): number | undefined {
  const stowage = result.measurements[0]?.metrics[metric]?.median
  const other = result.measurements[contender]?.metrics[metric]?.median
  if (contender === 0 || stowage === undefined || other === undefined) return undefined
  return other / stowage
}

interface VerdictText {
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
