import type { Database } from '../database.ts'
import { WINDOW_KEPT_MS } from '../window-kept.ts'
import type { Sql } from './connection.ts'

/** Counts in the database, for all instances together. */
export function globalRequestCount(sql: Sql): Pick<Database, 'countRequest'> {
  return {
    async countRequest({ keyId, group, limit }, windowStart) {
      // Locks the key's row before the group's, so that no deadlock can occur.
      const [row] = await sql<{ of_key: number; of_group: number }[]>`
        with of_key as (
          insert into request_counts (who, window_start, count) values (${keyId}, ${windowStart}, 1)
          on conflict (who, window_start) do update set count = request_counts.count + 1
          returning count
        ), of_group as (
          insert into request_counts (who, window_start, count)
          select ${group}, ${windowStart}, 1 from of_key where of_key.count <= ${limit}
          on conflict (who, window_start) do update set count = request_counts.count + 1
          returning count
        )
        select of_key.count as of_key, coalesce((select count from of_group), (
            select count from request_counts where who = ${group} and window_start = ${windowStart}
          ), 0) as of_group
        from of_key`
      const { of_key: ofKey, of_group: ofGroup } = { of_key: 1, of_group: 1, ...row }
      // The first request of a window deletes old windows, unless another call is deleting them.
      if (ofKey === 1) {
        const oldest = new Date(windowStart.getTime() - WINDOW_KEPT_MS)
        await sql`
          delete from request_counts where (who, window_start) in (
            select who, window_start from request_counts where window_start < ${oldest}
            for update skip locked)`
      }
      return { ofKey, ofGroup }
    },
  }
}
