import { isolateRightToLeft, sanitize } from './sanitize.ts'
import { padEnd, padStart, truncate, widthOf } from './width.ts'

export interface Column {
  head: string
  /** Numbers stand to the right. */
  align?: 'left' | 'right'
  /** May become as narrow as this; left out: it is shown whole or not at all. */
  least?: number
  /** Which ones go first when there is no room: those with the highest number. Left out: it stays. */
  leaves?: number
}

export interface TableOptions {
  /** How wide it may be; left out: as wide as it needs to be. */
  columns?: number | undefined
}

const GAP = 2

/** Rows under a head, one line each, whatever the cells hold. */
export function table(
  head: readonly (Column | string)[],
  rows: readonly string[][],
  { columns }: TableOptions = {},
): string {
  const all = head.map((column, index) => {
    const known: Column = typeof column === 'string' ? { head: column } : column
    const cells = rows.map((row) => sanitize(row[index] ?? ''))
    const natural = cells.reduce(
      (widest, cell) => Math.max(widest, widthOf(cell)),
      widthOf(known.head),
    )
    return { ...known, cells, natural }
  })
  const shown = columns === undefined ? all : thatFit(all, columns)
  const widths = columns === undefined ? shown.map(({ natural }) => natural) : share(shown, columns)
  // Programs that read a pipe want the text and nothing else.
  const dress = columns === undefined ? (cell: string) => cell : isolateRightToLeft
  const line = (cells: string[]) =>
    cells
      .map((cell, index) => {
        const width = widths[index] ?? 0
        const pad = shown[index]?.align === 'right' ? padStart : padEnd
        const short = truncate(cell, width)
        return pad(short, width).replace(short, () => dress(short))
      })
      .join(' '.repeat(GAP))
      .trimEnd()
  return [
    line(shown.map((column) => column.head)),
    ...rows.map((_, row) => line(shown.map(({ cells }) => cells[row] ?? ''))),
  ].join('\n')
}

interface Measured extends Column {
  natural: number
}

function leastOf({ natural, least }: Measured): number {
  return Math.min(natural, least ?? natural)
}

function gaps(count: number): number {
  return GAP * Math.max(0, count - 1)
}

/** Without those that there is no room for, even when all are as narrow as they may be. */
function thatFit<Some extends Measured>(all: Some[], columns: number): Some[] {
  const needed = all.reduce((sum, column) => sum + leastOf(column), gaps(all.length))
  const goes = all.reduce<Some | undefined>(
    (last, column) => ((column.leaves ?? 0) > (last?.leaves ?? 0) ? column : last),
    undefined,
  )
  if (needed <= columns || goes === undefined) return all
  return thatFit(
    all.filter((column) => column !== goes),
    columns,
  )
}

/** The widest one gives first, until the line fits. */
function share(shown: Measured[], columns: number): number[] {
  const widths = shown.map(({ natural }) => natural)
  let over = widths.reduce((sum, width) => sum + width, gaps(shown.length)) - columns
  for (; over > 0; over -= 1) {
    const able = shown.flatMap((column, index) =>
      (widths[index] ?? 0) > leastOf(column) ? [index] : [],
    )
    const widest = able.toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0]
    if (widest === undefined) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}
