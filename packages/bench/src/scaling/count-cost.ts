import type postgres from 'postgres'

/** The cost of one call in the database, according to pg_stat_statements. */
export interface Cost {
  statements: number
  rows: number
  /** Blocks of 8 kB, from the cache or read from disk. */
  blocks: number
  /** Write-ahead log, which is also sent to every replica. */
  walBytes: number
  /** Execution time in the database. */
  databaseMs: number
  /** From request to response, without other load. */
  responseMs: number
}

/** Makes the call several times in sequence. Returns the means, and the median response time. */
export async function countCost(
  sql: postgres.Sql,
  call: (index: number) => Promise<void>,
  times: number,
): Promise<Cost> {
  await call(0)
  await sql`select pg_stat_statements_reset()`
  const responseTimes: number[] = []
  for (let index = 1; index <= times; index += 1) {
    const start = performance.now()
    await call(index)
    responseTimes.push(performance.now() - start)
  }
  const [total] = await sql<Omit<Cost, 'responseMs'>[]>`
    select coalesce(sum(calls), 0)::float8 as statements, coalesce(sum(rows), 0)::float8 as rows,
      coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as blocks,
      coalesce(sum(wal_bytes), 0)::float8 as "walBytes",
      coalesce(sum(total_exec_time), 0)::float8 as "databaseMs"
    from pg_stat_statements
    where query not like '%pg_stat_statements%' and query !~* '^(begin|commit|set|show)'
      and dbid = (select oid from pg_database where datname = current_database())`
  if (total === undefined) throw new Error('pg_stat_statements returned no row')
  const each = (name: keyof typeof total) => total[name] / times
  return {
    statements: each('statements'),
    rows: each('rows'),
    blocks: each('blocks'),
    walBytes: each('walBytes'),
    databaseMs: each('databaseMs'),
    responseMs: responseTimes.toSorted((a, b) => a - b)[Math.floor(times / 2)] ?? Number.NaN,
  }
}
