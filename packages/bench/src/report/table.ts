import { describeVerdict, formatNumber, ratioToStowage, spreadText } from './format.ts'
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
