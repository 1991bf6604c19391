import { type PageRequest, rowRangeOf } from '../../domain/paging.ts'
import type { Rows } from '../account-data.ts'
import { inOrderOf } from '../shared/listing.ts'
import type { RunStep } from '../shared/time-slicer.ts'
import type { Connection, SnapshotReader } from './connection.ts'
import type { Filter } from './search.ts'

/** Up to this many rows are checked by one statement: a few milliseconds. */
const MAX_CHECKED_ROWS = 5000

/**
 * Counts the rows that match the conditions. Undefined if there are too many rows to check them all in one statement.
 * `from` is `table where …`, or a join.
 */
export function countFew(
  { prepare }: Connection,
  rows: { from: string; table: string; conditions: string[]; count?: string },
  parameters: Record<string, string | number>,
): number | undefined {
  const { from, table, conditions, count = 'count(*)' } = rows
  const counted = prepare<{ total: number | null }>(
    `select case when (select count(*) from (select 1 from ${from} limit ${MAX_CHECKED_ROWS + 1})) <= ${MAX_CHECKED_ROWS}
       then (select ${count} from (select ${table}.* from ${from}) ${table} where ${conditions.join(' and ') || 'true'}) end as total`,
  )
  return counted.get(parameters)?.total ?? undefined
}

/** Reads one state of the database in short steps, so that other requests are served meanwhile. */
export interface LongReads {
  snapshots: SnapshotReader
  runStep: RunStep
}

type Position = (string | number)[]

export interface Scan {
  account: string
  table: 'assets' | 'products' | 'orders'
  /** Another name of the table, for filters that read it too. */
  alias?: string | undefined
  /** Its columns are the account, those of `order`, and any others. */
  index: string
  /** The rows of the account that are in the index. */
  own: string
  /** Together these columns are unique. */
  order: string[]
  descending: boolean
  filter: Filter
  /** Starts after the row with these values of `order`. */
  after?: Position | undefined
  /** The first column of `order`: its rows with the same value count as one match. By default, each row counts. */
  groupBy?: string
}

/** A match: the `seq` of its row, or the value of its group. */
export interface Match {
  key: number
  rows: number
}

/** Reads a page and counts all matches. */
export function scanList<Row extends { seq: number }>(
  { snapshots, runStep }: LongReads,
  { scan, page, columns }: { scan: Scan; page: PageRequest; columns: string },
): Promise<Rows<Row>> {
  const { account, table, alias } = scan
  return snapshots.read(account, async (snapshot) => {
    const { found, total } = await scanPage(snapshot, runStep, { scan, page })
    const seqs = found.map(({ key }) => key)
    const rows = await runStep(account, () =>
      readRows<Row>(snapshot, { table, alias, columns, seqs }),
    )
    return { rows, total }
  })
}

/** How many IDs a step reads. */
const IDS_PER_STEP = 2000

/** The IDs of the first matches, at most `limit`. */
export function selectIds(
  { snapshots, runStep }: LongReads,
  scan: Scan,
  limit: number,
): Promise<string[]> {
  const { account, table } = scan
  return snapshots.read(account, async (snapshot) => {
    const { found } = await scanIndex(snapshot, runStep, {
      ...scan,
      offset: 0,
      limit,
      isCounted: false,
    })
    const ids: string[] = []
    for (let at = 0; at < found.length; at += IDS_PER_STEP) {
      const seqs = found.slice(at, at + IDS_PER_STEP).map(({ key }) => key)
      await runStep(account, () => {
        const columns = 'seq, id'
        for (const row of readRows<{ seq: number; id: string }>(snapshot, { table, columns, seqs }))
          ids.push(row.id)
      })
    }
    return ids
  })
}

/** The rows with these numbers, in their order. */
export function readRows<Row extends { seq: number }>(
  { prepare }: Connection,
  {
    table,
    alias = table,
    columns,
    seqs,
  }: Pick<Scan, 'table' | 'alias'> & { columns: string; seqs: number[] },
): Row[] {
  const rows = prepare<Row>(
    `select ${columns} from ${table} as ${alias} where seq in (select value from json_each(:seqs))`,
  )
  const values = { seqs: JSON.stringify(seqs), clock: Date.now() }
  return inOrderOf(seqs, rows.all(values), ({ seq }) => seq)
}

/**
 * Finds a page in the order of an index. If the total is known, it starts from the nearer end. Otherwise it reads all
 * rows and counts the matches.
 */
export async function scanPage(
  snapshot: Connection,
  runStep: RunStep,
  { scan, page, total }: { scan: Scan; page: PageRequest; total?: number | undefined },
): Promise<{ found: Match[]; total: number }> {
  const { descending, after, ...whole } = scan
  const read = (part: Scan & Part) => scanIndex(snapshot, runStep, part)
  if (total !== undefined) {
    const range = rowRangeOf({ ...page, ...(after && { after }) }, total)
    if (range.limit === 0) return { found: [], total }
    const isDescending = descending !== range.isFromEnd
    const { found } = await read({ ...scan, descending: isDescending, ...range, isCounted: false })
    return { found: range.isFromEnd ? found.reverse() : found, total }
  }
  const limit = page.perPage
  if (after === undefined) {
    const offset = (page.page - 1) * limit
    const { found, matches } = await read({ ...scan, offset, limit, isCounted: true })
    return { found, total: matches }
  }
  const { found } = await read({ ...scan, offset: 0, limit, isCounted: false })
  const { matches } = await read({ ...whole, descending, offset: 0, limit: 0, isCounted: true })
  return { found, total: matches }
}

/** The matches to return. */
export interface Part {
  offset: number
  limit: number
  /** Whether to continue after the last of them, to count all matches. */
  isCounted: boolean
}

/** Rows of the account that a step reads at first. Later steps read more, unless they take too long. */
const FIRST_ROWS = 500
const MAX_ROWS = 16_000
const STEP_MS = 2

async function scanIndex(
  snapshot: Connection,
  runStep: RunStep,
  scan: Scan & Part,
): Promise<{ found: Match[]; matches: number }> {
  const { readNext, result } = openScan(snapshot, scan)
  for (let rows = FIRST_ROWS, isOver = false; !isOver; ) {
    await runStep(scan.account, () => {
      const since = performance.now()
      isOver = readNext(rows)
      const isShort = performance.now() - since < STEP_MS
      rows = isShort ? Math.min(2 * rows, MAX_ROWS) : Math.max(FIRST_ROWS, Math.floor(rows / 2))
    })
  }
  return result()
}

/** Finds the matches of a part of the list. Each call of `readNext` reads some rows, and returns whether the scan is over. */
export function openScan(connection: Connection, scan: Scan & Part) {
  const { account, filter, offset, limit } = scan
  const isGrouped = scan.groupBy !== undefined
  const isEveryRow = filter.conditions.length === 0 && !isGrouped
  // The rows of the last group may continue in the next step.
  const enough = offset + limit + (isGrouped ? 1 : 0)
  const statements = statementsOf(connection, scan)
  const found: Match[] = []
  let position: Position | undefined = scan.after
  let matches = 0
  let last: number | undefined

  function add(key: number): void {
    if (key !== last) {
      matches += 1
      last = key
      if (matches > offset && found.length < limit) found.push({ key, rows: 0 })
    }
    const current = found.at(-1)
    if (current?.key === key) current.rows += 1
  }

  /** Reads the next rows, and returns whether the scan is over. */
  function readNext(rows: number): boolean {
    const begin = named('after', position)
    const { end, keys, count } = statements(position !== undefined)
    const until = end.get({ account, ...filter.parameters, ...begin, rows })
    position = until && scan.order.map((column) => until[column] ?? 0)
    const isLast = position === undefined
    const parameters = { account, ...filter.parameters, ...begin, ...named('until', position) }
    const isAfterPage = matches >= enough
    if (isEveryRow && !isLast && (isAfterPage || matches + rows <= offset)) matches += rows
    else if (isAfterPage && !isGrouped) matches += count(isLast).get(parameters)?.count ?? 0
    else for (const { key } of keys(isLast).all(parameters)) add(key)
    return isLast || (matches >= enough && !scan.isCounted)
  }

  return { readNext, result: () => ({ found, matches }) }
}

/** The statements of a step: its last row, the keys of its matches, and their number. */
function statementsOf({ prepare }: Connection, scan: Scan) {
  const { order, descending, table, alias = table, groupBy = 'seq' } = scan
  const columns = order.join(', ')
  const values = (name: string) => order.map((_, index) => `:${name}${index}`).join(', ')
  const after = `(${columns}) ${descending ? '<' : '>'} (${values('after')})`
  const until = `(${columns}) ${descending ? '>=' : '<='} (${values('until')})`
  const direction = descending ? 'desc' : 'asc'
  const ordered = `order by ${order.map((column) => `${column} ${direction}`).join(', ')}`
  return (hasBegun: boolean) => {
    const start = [
      `from ${table} as ${alias} indexed by ${scan.index} where ${scan.own}`,
      ...(hasBegun ? [after] : []),
    ]
    const matching = (isLast: boolean) =>
      [...start, ...(isLast ? [] : [until]), ...scan.filter.conditions].join(' and ')
    return {
      end: prepare<Record<string, string | number>>(
        `select ${columns} ${start.join(' and ')} ${ordered} limit 1 offset :rows - 1`,
      ),
      keys: (isLast: boolean) =>
        prepare<{ key: number }>(`select ${groupBy} as key ${matching(isLast)} ${ordered}`),
      count: (isLast: boolean) =>
        prepare<{ count: number }>(`select count(*) as count ${matching(isLast)}`),
    }
  }
}

function named(name: string, position: Position = []): Record<string, string | number> {
  return Object.fromEntries(position.map((value, index) => [`${name}${index}`, value]))
}
