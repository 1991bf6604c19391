import type { Database } from '../database.ts'
import { WINDOW_KEPT_MS } from '../window-kept.ts'
import type { Sql } from './connection.ts'

/** Counts in the database, for all instances together. */
export function globalRequestCount(sql: Sql): Pick<Database, 'countRequest'> {
  return {
    async countRequest(keyId, windowStart) {
      const [row] = await sql<{ count: number }[]>`
        insert into request_counts (who, window_start, count) values (${keyId}, ${windowStart}, 1)
        on conflict (who, window_start) do update set count = request_counts.count + 1
        returning count`
      const count = row?.count ?? 1
      // The first request of a window deletes old windows, unless another call is deleting them.
      if (count === 1) {
        const oldest = new Date(windowStart.getTime() - WINDOW_KEPT_MS)
        await sql`
          delete from request_counts where (who, window_start) in (
            select who, window_start from request_counts where window_start < ${oldest}
            for update skip locked)`
      }
      return count
    },
  }
}
