import { chartName } from './chart.ts'
import { describeVerdict, number, spreadText } from './format.ts'
import type { KeptResult, KeptResults } from './kept-results.ts'
import { machineText } from './machine.ts'
import type { Result } from './result.ts'

/** docs/performance.md, whole. */
export function pageOf(results: KeptResults): string {
  const sections = Object.values(results).map(section)
  return [INTRODUCTION, summary(Object.values(results).flat()), ...sections].join('\n')
}

const INTRODUCTION = `# Performance

Made by \`npm run bench -- --write\`: do not edit. Every workload runs Stowage, its peers and a bare limit
in turns, on one machine in one run. Bars are medians, the line in a bar is the least and the most that
was measured. The ratios are what counts; figures by themselves are those of the machine above them. For each
architecture, the page has what was measured last on it.
[How it is measured](decisions/0015-how-speed-is-measured.md).
`

function summary(results: KeptResult[]): string {
  const architectures = new Set(results.map(({ machine }) => machine.architecture).sort())
  const counts = [...architectures].map((architecture, index) => {
    const verdicts = results
      .filter(({ machine }) => machine.architecture === architecture)
      .flatMap((result) => result.verdicts)
    const met = verdicts.filter(({ isMet }) => isMet).length
    return `${met} of ${verdicts.length}${index === 0 ? ' targets are met' : ''} on ${architecture}`
  })
  return `**${counts.join(', ')}.**\n`
}

function section(results: KeptResult[]): string {
  return [`## ${results[0]?.title}\n`, ...results.map(onOneMachine)].join('\n')
}

function onOneMachine(result: KeptResult): string {
  const { name, title, machine } = result
  return `### ${machineText(machine)}

![${title}, ${machine.architecture}](performance/${chartName(result)})

${verdicts(result)}
<details><summary>All figures of <code>${name}</code> on ${machine.architecture}</summary>

${figures(result)}
</details>
`
}

function verdicts(result: Result): string {
  const rows = result.verdicts.map((verdict) => {
    const { what, target, value, mark } = describeVerdict(result, verdict)
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
    return [`**${describeVerdict(result, verdict).what}:** ${text}`, '']
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
