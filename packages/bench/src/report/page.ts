import type { Result } from './result.ts'
import { number, spreadText, verdictWords } from './words.ts'

/** The machine that it all ran on. */
export interface Machine {
  cpu: string
  cores: number
  memoryGigabytes: number
  node: string
  at: string
}

/** docs/performance.md, whole. */
export function pageOf(results: (Result & { machine: Machine })[]): string {
  const verdicts = results.flatMap((result) => result.verdicts)
  const met = verdicts.filter(({ isMet }) => isMet).length
  const summary = `**${met} of ${verdicts.length} targets are met.**\n`
  return [INTRODUCTION, summary, ...results.map(section)].join('\n')
}

const INTRODUCTION = `# Performance

Made by \`npm run bench -- --write\`: do not edit. Every workload runs Stowage, its peers and a bare limit
in turns, on one machine in one run. Bars are medians, the line in a bar is the least and the most that
was measured. The ratios are what counts; figures by themselves are those of the machine below each
workload. [How it is measured](decisions/0015-how-speed-is-measured.md).
`

function section(result: Result & { machine: Machine }): string {
  const { name, title, machine } = result
  return `## ${title}

![${title}](performance/${name}.svg)

${verdicts(result)}
<details><summary>All figures of <code>${name}</code></summary>

${figures(result)}
</details>

${machine.cores} cores of ${machine.cpu}, ${machine.memoryGigabytes} GB, Node ${machine.node}, ${machine.at}.
`
}

function verdicts(result: Result): string {
  const rows = result.verdicts.map((verdict) => {
    const { what, target, value, mark } = verdictWords(result, verdict)
    return `| ${what} | ${target} | ${value} | ${mark === 'met' ? mark : `**${mark}**`} |`
  })
  if (rows.length === 0) return ''
  const table = ['| What | Target | Measured | |', '|---|---|---|---|', ...rows, '']
  return [...table, ...reasons(result)].join('\n')
}

function reasons(result: Result): string[] {
  return result.verdicts.flatMap((verdict) => {
    const { reason } = verdict.target
    if (verdict.isMet || reason === undefined) return []
    const text = reason.replaceAll(/\s+/g, ' ')
    return [`**${verdictWords(result, verdict).what}:** ${text}`, '']
  })
}

function figures({ figures: known, measurements }: Result): string {
  const rows = measurements.flatMap(({ name, figures: measured, void: reason }) =>
    reason === undefined
      ? Object.entries(measured).map(([figure, spread]) => {
          const { title = figure, unit = '' } = known[figure] ?? {}
          return `| ${title} | ${name} | ${number(spread.median)} ${unit} | ${spreadText(spread)} |`
        })
      : [`| **void** | ${name} | ${reason.replaceAll('|', '/')} | |`],
  )
  return ['| Figure | Of | Median | Least to most |', '|---|---|---|---|', ...rows, ''].join('\n')
}
