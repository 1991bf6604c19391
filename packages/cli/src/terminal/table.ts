import { isolateRightToLeft, sanitize } from './sanitize.ts'
import { padEnd, padStart, truncate, widthOf } from './width.ts'

export interface Column {
  head: string
  align?: 'left' | 'right'
  /** The column can be narrowed to this width. By default, it is shown in full or not at all. */
  minWidth?: number
  /** If the table is too wide, columns are dropped in descending order. By default, a column is kept. */
  dropOrder?: number
}

interface TableOptions {
  /** The maximum width. By default, there is none. */
  columns?: number | undefined
}

const GAP = 2

/** Formats rows under a heading, each on one line, whatever the cells contain. */
export function table(
  head: readonly (Column | string)[],
  rows: readonly string[][],
  { columns }: TableOptions = {},
): string {
  const all = head.map((given, index) => {
    const column: Column = typeof given === 'string' ? { head: given } : given
    const cells = rows.map((row) => sanitize(row[index] ?? ''))
    const natural = cells.reduce(
      (widest, cell) => Math.max(widest, widthOf(cell)),
      widthOf(column.head),
    )
    return { ...column, cells, natural }
  })
  const shown = columns === undefined ? all : dropColumns(all, columns)
  const widths =
    columns === undefined ? shown.map(({ natural }) => natural) : narrowColumns(shown, columns)
  // Without a terminal, another program may read the table, so no isolation characters are added.
  const decorate = columns === undefined ? (cell: string) => cell : isolateRightToLeft
  const line = (cells: string[]) =>
    cells
      .map((cell, index) => {
        const width = widths[index] ?? 0
        const pad = shown[index]?.align === 'right' ? padStart : padEnd
        const short = truncate(cell, width)
        return pad(short, width).replace(short, () => decorate(short))
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

function minWidthOf({ natural, minWidth }: Measured): number {
  return Math.min(natural, minWidth ?? natural)
}

function gaps(count: number): number {
  return GAP * Math.max(0, count - 1)
}

/** Drops columns until the others fit when they are as narrow as possible. */
function dropColumns<Some extends Measured>(all: Some[], columns: number): Some[] {
  const needed = all.reduce((sum, column) => sum + minWidthOf(column), gaps(all.length))
  const dropped = all.reduce<Some | undefined>(
    (last, column) => ((column.dropOrder ?? 0) > (last?.dropOrder ?? 0) ? column : last),
    undefined,
  )
  if (needed <= columns || dropped === undefined) return all
  return dropColumns(
    all.filter((column) => column !== dropped),
    columns,
  )
}

/** Narrows the widest column by one until the table fits. */
function narrowColumns(shown: Measured[], columns: number): number[] {
  const widths = shown.map(({ natural }) => natural)
  let over = widths.reduce((sum, width) => sum + width, gaps(shown.length)) - columns
  for (; over > 0; over -= 1) {
    const candidates = shown.flatMap((column, index) =>
      (widths[index] ?? 0) > minWidthOf(column) ? [index] : [],
    )
    const widest = candidates.toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0]
    if (widest === undefined) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}
