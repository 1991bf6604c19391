import type { UploadEventType } from '../../domain/event.ts'
import { begin, type Sql } from './connection.ts'
import { uploadSnapshot } from './snapshots.ts'

/**
 * Ends an unfinished upload by the given statement, releases its reserved bytes, its attachments, and its
 * data in the storage, and records the event. False when the statement changed nothing.
 */
export function release(
  sql: Sql,
  { id, actor, type }: { id: string; actor: string; type: UploadEventType },
  end: (transaction: Sql) => Promise<{ count: number }>,
): Promise<boolean> {
  return begin(sql, async (transaction) => {
    if ((await end(transaction)).count === 0) return false
    // A separate statement, so that it sees products that were attached while `end` waited for the row.
    await transaction`
      with ended as (
        select * from assets where id = ${id}
      ), freed as (
        update accounts set reserved_bytes = reserved_bytes - ended.bytes, last_event = last_event + 1
        from ended where accounts.id = ended.account_id returning last_event
      ), recorded as (
        insert into events (account_id, id, type, created_at, actor, data)
        select s.account_id, last_event, ${type}, clock_timestamp(), ${actor}::text::json,
          ${uploadSnapshot(sql)}
        from ended s, freed
      ), detached as (
        delete from asset_products using ended where asset_id = ended.id
      )
      insert into removals (kind, storage_id, key, due_at)
      select 'upload', coalesce(storage_id, upload_id::text), id::text, now() from ended`
    return true
  })
}
