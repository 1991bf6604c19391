import { setTimeout as pause } from 'node:timers/promises'
import type postgres from 'postgres'
import { type Request, sendLoad } from '../load/send-load.ts'
import { sessionRequest } from '../load/sessions.ts'
import { type ServerProcess, watchUsage } from '../processes/servers.ts'
import { progress } from '../progress.ts'
import type { Shop } from './populate.ts'

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

export interface JobRates {
  expiredPerSecond: number
  removedPerSecond: number
}

const EXPIRED_UPLOADS = 20_000
const INTERVAL_MS = 50

/** Lets many uploads expire at the same time, as after an outage, and measures how fast an instance removes them. */
export async function measureJobs(
  sql: postgres.Sql,
  start: () => Promise<unknown>,
): Promise<JobRates> {
  await sql`
    with created as (
      insert into assets (id, account_id, kind, status, filename, search_name, sort_name, bytes, mime,
        created_at, changed_at, upload_id, chunk_size, expires_at)
      select gen_random_uuid(), accounts.id, 'file', 'uploading', 'unfinished.zip', 'unfinished.zip', 'unfinished.zip', 1, 'a/b',
        now(), now(), gen_random_uuid(), 100000000, now()
      from generate_series(1, ${EXPIRED_UPLOADS}) n
        join lateral (select id from accounts order by id offset n % 100 limit 1) accounts on true
      returning account_id
    )
    update accounts set reserved_bytes = reserved_bytes + created.count
    from (select account_id, count(*) from created group by account_id) created
    where accounts.id = created.account_id`
  await start()
  const begin = performance.now()
  const expired = await timeWhen(async () => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::float8 from assets where status = 'uploading' and expires_at < now()`
    return row?.count === 0
  })
  const removed = await timeWhen(async () => {
    const [row] = await sql<{ count: number }[]>`select count(*)::float8 from removals`
    return row?.count === 0
  })
  return {
    expiredPerSecond: (EXPIRED_UPLOADS * 1000) / (expired - begin),
    removedPerSecond: (EXPIRED_UPLOADS * 1000) / (removed - begin),
  }
}

/** Polls until the condition is true, and returns the time. */
async function timeWhen(condition: () => Promise<boolean>): Promise<number> {
  while (!(await condition())) {
    progress('waiting for the jobs')
    await pause(INTERVAL_MS)
  }
  return performance.now()
}

export interface WriteRates {
  sessionsPerSecond: number
  /** CPU time of all instances together. */
  cpuMsPerSession: number
}

const WRITE_SECONDS = 5
const WRITE_CLIENTS = 32

/** Requests uploads with many clients, spread evenly over shops and instances. */
export async function measureWrites(
  instances: ServerProcess[],
  shops: Shop[],
): Promise<WriteRates> {
  const requests = shops.map(({ key }): Request => {
    const request = sessionRequest()
    return { ...request, headers: { ...request.headers, authorization: `Bearer ${key}` } }
  })
  const clients = WRITE_CLIENTS / instances.length
  const load = () =>
    Promise.all(
      instances.map(({ url }) => sendLoad({ url, requests, clients, seconds: WRITE_SECONDS })),
    )
  await load()
  const pids = instances.map(({ pid }) => pid)
  const { result, cpuSeconds } = await watchUsage(pids, load)
  const count = result.reduce((total, { count }) => total + count, 0)
  const sessionsPerSecond = result.reduce((total, { perSecond }) => total + perSecond, 0)
  return { sessionsPerSecond, cpuMsPerSession: (cpuSeconds * 1000) / count }
}
