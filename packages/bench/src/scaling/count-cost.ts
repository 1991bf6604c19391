import type postgres from 'postgres'

/** What one call asks of the database, by its own books. */
export interface Cost {
  statements: number
  rows: number
  /** Of 8 kB, found in its memory or read. */
  blocks: number
  /** Written to its log, and sent to every replica. */
  logBytes: number
  /** That the database works on it. */
  databaseMs: number
  /** From the call to its answer, alone. */
  answerMs: number
}

/** Calls so often, one after the other, and tells the mean of each; of the times the median. */
export async function countCost(
  sql: postgres.Sql,
  call: (index: number) => Promise<void>,
  times: number,
): Promise<Cost> {
  await call(0)
  await sql`select pg_stat_statements_reset()`
  const answers: number[] = []
  for (let index = 1; index <= times; index += 1) {
    const start = performance.now()
    await call(index)
    answers.push(performance.now() - start)
  }
  const [total] = await sql<Omit<Cost, 'answerMs'>[]>`
    select coalesce(sum(calls), 0)::float8 as statements, coalesce(sum(rows), 0)::float8 as rows,
      coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as blocks,
      coalesce(sum(wal_bytes), 0)::float8 as "logBytes",
      coalesce(sum(total_exec_time), 0)::float8 as "databaseMs"
    from pg_stat_statements
    where query not like '%pg_stat_statements%' and query !~* '^(begin|commit|set|show)'
      and dbid = (select oid from pg_database where datname = current_database())`
  if (total === undefined) throw new Error('pg_stat_statements says nothing')
  const each = (name: keyof typeof total) => total[name] / times
  return {
    statements: each('statements'),
    rows: each('rows'),
    blocks: each('blocks'),
    logBytes: each('logBytes'),
    databaseMs: each('databaseMs'),
    answerMs: answers.toSorted((a, b) => a - b)[Math.floor(times / 2)] ?? Number.NaN,
  }
}
