import { spreadOf } from '../measure.ts'
import { formatNumber } from '../report/format.ts'
import type { HotPath, Measured } from './hot-paths.ts'

/** A path of the working tree must be at least this fast, relative to the same path of the other commit. */
export const LIMIT = 0.9

/** The results of both checkouts in one round. They ran directly one after the other. */
export interface Pair {
  ours: Measured
  theirs: Measured
}

/** How fast the working tree is, relative to the other commit. Above 1, it is faster. */
export interface Ratios {
  /** The median of the ratios of the rounds: the speed of the machine may change between two rounds. */
  median: number
  /** The ratio of the best results: other programs only ever make a result worse. */
  best: number
}

export interface Comparison {
  /** The medians. */
  ours: number
  theirs: number
  speed: Ratios
  /** Of the CPU time: above 1, the working tree needs less. */
  cpu: Ratios
  isSlower: boolean
}

/**
 * The working tree is slower if both ratios of the speed are below the limit, or both ratios of the CPU time, unless the
 * speed has improved. On a machine that is not idle, the CPU time shows more than the speed.
 */
export function compare(pairs: Pair[], better: HotPath['better']): Comparison {
  const speed = ratiosOf(pairs, ({ value }) => value, better)
  const cpu = ratiosOf(pairs, ({ cpuSeconds }) => cpuSeconds, 'lower')
  const isFaster = speed.median >= 1 / LIMIT && speed.best >= 1 / LIMIT
  return {
    ours: spreadOf(pairs.map(({ ours }) => ours.value)).median,
    theirs: spreadOf(pairs.map(({ theirs }) => theirs.value)).median,
    speed,
    cpu,
    isSlower: isBelow(speed) || (isBelow(cpu) && !isFaster),
  }
}

function ratiosOf(
  pairs: Pair[],
  read: (measured: Measured) => number,
  better: HotPath['better'],
): Ratios {
  const ratio = (ours: number, theirs: number) =>
    better === 'higher' ? ours / theirs : theirs / ours
  const bestOf = (values: number[]) =>
    better === 'higher' ? Math.max(...values) : Math.min(...values)
  const [ours, theirs] = [
    pairs.map((pair) => read(pair.ours)),
    pairs.map((pair) => read(pair.theirs)),
  ]
  return {
    median: spreadOf(pairs.map((pair) => ratio(read(pair.ours), read(pair.theirs)))).median,
    best: ratio(bestOf(ours), bestOf(theirs)),
  }
}

/** Written so that a ratio that is not a number is below the limit. */
function isBelow({ median, best }: Ratios): boolean {
  return !(median >= LIMIT || best >= LIMIT)
}

export interface Row {
  path: HotPath
  rounds: number
  comparison: Comparison | undefined
  /** Why the path was not measured. */
  failure?: string
}

export function comparisonTable(rows: Row[], ref: string): string {
  const heads = ['', ref, 'working tree', '', 'speed', 'best', 'CPU', 'best', 'rounds', '']
  const cells = rows.map(({ path, rounds, comparison, failure }) => {
    if (comparison === undefined)
      return [path.name, '–', '–', '', '–', '–', '–', '–', '0', `NOT MEASURED: ${failure}`]
    const { ours, theirs, speed, cpu, isSlower } = comparison
    const values = [theirs, ours].map(formatNumber)
    const ratios = [speed.median, speed.best, cpu.median, cpu.best].map((value) => value.toFixed(2))
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
  return [0, 3, 9].includes(column)
}
