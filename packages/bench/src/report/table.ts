import { describeVerdict, formatNumber, spreadText, timesOurs } from './format.ts'
import type { Result } from './result.ts'

/** The result as text for a terminal. */
export function tableOf(result: Result): string {
  const lines = ['', `${result.name}: ${result.title}`]
  for (const { name, void: reason } of result.measurements) {
    if (reason !== undefined) lines.push(`  VOID ${name}: ${reason}`)
  }
  for (const [figure, { title, unit, better }] of Object.entries(result.figures)) {
    lines.push(`  ${title}, ${unit} (${better} is better)`)
    for (const [index, { name, figures }] of result.measurements.entries()) {
      const spread = figures[figure]
      if (spread === undefined) continue
      const times = timesOurs(result, index, figure)
      const ratio = times === undefined ? '' : `${formatNumber(times)} times ours`
      lines.push(
        `    ${name.padEnd(28)}${formatNumber(spread.median).padStart(10)}   ${spreadText(spread).padEnd(22)}${ratio.padStart(18)}`,
      )
    }
  }
  for (const verdict of result.verdicts) {
    const { label, target, value, mark } = describeVerdict(result, verdict)
    lines.push(`  ${mark.padEnd(12)} ${label}: ${value} (${target})`)
  }
  return lines.join('\n')
}
