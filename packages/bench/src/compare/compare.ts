import { spreadOf } from '../measure.ts'
import { formatNumber } from '../report/format.ts'
import type { HotPath } from './hot-paths.ts'

/** A path of the working tree must be at least this fast, relative to the same path of the other commit. */
export const LIMIT = 0.9

/** The results of both checkouts in one round. They ran directly one after the other. */
export interface Pair {
  ours: number
  theirs: number
}

export interface Comparison {
  ours: number
  theirs: number
  /** The median of the ratios of the rounds: the speed of the machine may change between two rounds. */
  ratio: number
  /** The ratio of the best results: other programs only ever make a result worse. */
  best: number
  isSlower: boolean
}

/** A ratio above 1 means that the working tree is faster. Only if both ratios are below the limit, it is slower. */
export function compare(pairs: Pair[], better: HotPath['better']): Comparison {
  const speedup = ({ ours, theirs }: Pair) => (better === 'higher' ? ours / theirs : theirs / ours)
  const ours = spreadOf(pairs.map((pair) => pair.ours))
  const theirs = spreadOf(pairs.map((pair) => pair.theirs))
  const bestOf = ({ min, max }: typeof ours) => (better === 'higher' ? max : min)
  const ratio = spreadOf(pairs.map(speedup)).median
  const best = speedup({ ours: bestOf(ours), theirs: bestOf(theirs) })
  // Written so that a ratio that is not a number counts as slower.
  const isSlower = !(ratio >= LIMIT || best >= LIMIT)
  return { ours: ours.median, theirs: theirs.median, ratio, best, isSlower }
}

export interface Row {
  path: HotPath
  rounds: number
  comparison: Comparison | undefined
  /** Why the path was not measured. */
  failure?: string
}

export function comparisonTable(rows: Row[], ref: string): string {
  const heads = ['', ref, 'working tree', '', 'ratio', 'of the best', 'rounds', '']
  const cells = rows.map(({ path, rounds, comparison, failure }) => {
    if (comparison === undefined)
      return [path.name, '–', '–', '', '–', '–', '0', `NOT MEASURED: ${failure}`]
    const { ours, theirs, ratio, best, isSlower } = comparison
    const values = [theirs, ours].map(formatNumber)
    const ratios = [ratio, best].map((value) => value.toFixed(2))
    const verdict = isSlower ? `SLOWER than ${LIMIT}` : 'ok'
    return [path.name, ...values, path.unit, ...ratios, `${rounds}`, verdict]
  })
  const widths = heads.map((_, column) =>
    Math.max(...[heads, ...cells].map((row) => row[column]?.length ?? 0)),
  )
  const line = (row: string[]) =>
    row
      .map((cell, column) =>
        isText(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  return [heads, ...cells].map(line).join('\n')
}

/** The path, the unit and the verdict. */
function isText(column: number): boolean {
  return [0, 3, 7].includes(column)
}
