import { setTimeout as pause } from 'node:timers/promises'
import type postgres from 'postgres'
import { progress } from '../progress.ts'

export interface JobRates {
  expiredPerSecond: number
  removedPerSecond: number
}

const COUNT = 20_000
const INTERVAL_MS = 50

/** Lets many uploads expire at the same time, as after an outage, and measures how fast an instance removes them. */
export async function measureJobs(
  sql: postgres.Sql,
  start: () => Promise<unknown>,
): Promise<JobRates> {
  await sql`
    with created as (
      insert into assets (id, account_id, kind, status, filename, search_name, bytes, mime,
        created_at, changed_at, upload_id, chunk_size, expires_at)
      select gen_random_uuid(), accounts.id, 'file', 'uploading', 'unfinished.zip', 'unfinished.zip', 1, 'a/b',
        now(), now(), gen_random_uuid(), 100000000, now()
      from generate_series(1, ${COUNT}) n
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
    expiredPerSecond: (COUNT * 1000) / (expired - begin),
    removedPerSecond: (COUNT * 1000) / (removed - begin),
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
