import type { Spread } from '../measure.ts'
import { formatNumber } from './format.ts'
import type { Result, SavedResult } from './result.ts'

const WIDTH = 760
const LABELS = 220
const VALUES = 110
const ROW = 24
const BAR = 14
const HEAD = 30
const GAP = 14

/** Follows the reader's light or dark mode, even as an embedded image. */
const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .head { font-weight: 600; }
  .secondary { fill: #59636e; font-weight: 400; }
  .ours { fill: #0969da; }
  .other { fill: #afb8c1; }
  .spread { stroke: #1f2328; stroke-width: 1.5; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .secondary { fill: #9198a1; }
    .ours { fill: #4493f8; }
    .other { fill: #57606a; }
    .spread { stroke: #e6edf3; }
  }`

/** One bar per contender, one group of bars per metric. Each group has its own scale. */
export function chartOf({ title, metrics, measurements }: Result): string {
  let top = 0
  const groups = Object.entries(metrics).map(([metric, { title: head, unit, better }]) => {
    const rows = measurements.flatMap(({ name, metrics: measured }) => {
      const spread = measured[metric]
      return spread === undefined ? [] : [{ name, spread, isOurs: isOurs(name) }]
    })
    if (rows.length === 0) return ''
    const max = Math.max(...rows.map(({ spread }) => spread.max))
    const label = `${head} <tspan class="secondary">${escapeXml(unit)}, ${better} is better</tspan>`
    const heading = `<text class="head" x="0" y="${top + 18}">${label}</text>`
    const bars = rows.map((row, index) => bar(row, top + HEAD + index * ROW, max))
    top += HEAD + rows.length * ROW + GAP
    return [heading, ...bars].join('\n')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" role="img" aria-label="${escapeXml(title)}">
<style>${STYLE}
</style>
${groups.filter((group) => group !== '').join('\n')}
</svg>
`
}

/** The chart's file name, with workload and architecture. */
export function chartName({ name, machine }: SavedResult): string {
  return `${name}-${machine.architecture}.svg`
}

function isOurs(name: string): boolean {
  return name.startsWith('Stowage')
}

function bar(
  { name, spread, isOurs }: { name: string; spread: Spread; isOurs: boolean },
  top: number,
  max: number,
): string {
  const scale = (value: number) => Math.round((value / max) * (WIDTH - LABELS - VALUES))
  const middle = top + BAR / 2
  const [from, to] = [LABELS + scale(spread.min), LABELS + scale(spread.max)]
  return `<text x="0" y="${middle + 5}">${escapeXml(name)}</text>
<rect class="${isOurs ? 'ours' : 'other'}" x="${LABELS}" y="${top}" width="${Math.max(1, scale(spread.median))}" height="${BAR}" rx="2"/>
<path class="spread" d="M${from} ${middle}H${to}"/>
<text x="${to + 8}" y="${middle + 5}">${formatNumber(spread.median)}</text>`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
