import { begin, type Sql } from './connection.ts'

/**
 * Ends an unfinished upload by the given statement, and releases its reserved bytes, its attachments, and its
 * data in the storage. False when the statement changed nothing.
 */
export function release(
  sql: Sql,
  assetId: string,
  end: (transaction: Sql) => Promise<{ count: number }>,
): Promise<boolean> {
  return begin(sql, async (transaction) => {
    if ((await end(transaction)).count === 0) return false
    // A separate statement, so that it sees products that were attached while `end` waited for the row.
    await transaction`
      with ended as (
        select id, account_id, bytes, storage_id, upload_id from assets where id = ${assetId}
      ), freed as (
        update accounts set reserved_bytes = reserved_bytes - ended.bytes
        from ended where accounts.id = ended.account_id
      ), unlinked as (
        delete from asset_products using ended where asset_id = ended.id
      )
      insert into removals (kind, storage_id, key, due_at)
      select 'upload', coalesce(storage_id, upload_id::text), id::text, now() from ended`
    return true
  })
}
