import type { Archive } from '../../domain/archive.ts'
import type { ArchiveLimits, NewArchive } from '../archive-data.ts'
import { type ArchiveRow, toArchive } from '../shared/archive-rows.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import { inTransaction, type Sql } from './connection.ts'

/** How many segments one statement inserts: a few megabytes. */
const SEGMENTS_PER_INSERT = 20

export function addArchive(
  sql: Sql,
  { account }: Writer,
  { segments, selection, ...archive }: NewArchive,
  limits: ArchiveLimits,
): Promise<Archive> {
  const { id, keyId, etag, filename, bytes, files, links } = archive
  const length = segments.reduce((sum, { content }) => sum + content.length, 0)
  const columns = sql`id, account_id, filename, bytes, etag, files, links`
  return inTransaction(sql, async () => {
    // One that has expired, and that no job has removed yet.
    await sql`
      delete from archives
      where account_id = ${account} and selection = ${selection} and expires_at <= clock_timestamp()`
    // Waits for a concurrent call with the same selection.
    const [row] = await sql<ArchiveRow[]>`
      insert into archives (id, account_id, key_id, selection, etag, filename, bytes, files, links,
        length, requested_at, expires_at)
      values (${id}, ${account}, ${keyId}, ${selection}, ${etag}, ${filename}, ${bytes}, ${files},
        ${links}, ${length}, clock_timestamp(),
        clock_timestamp() + ${limits.keptForMs} * interval '1 ms')
      on conflict (account_id, selection) do update
      set requested_at = excluded.requested_at, expires_at = excluded.expires_at
      returning ${columns}`
    if (row === undefined) throw new Error('the archive was not stored')
    if (row.id !== id) return toArchive(row)
    for (let at = 0; at < segments.length; at += SEGMENTS_PER_INSERT) {
      const rows = segments.slice(at, at + SEGMENTS_PER_INSERT)
      await sql`
        insert into archive_segments (archive_id, number, start, directory_start, entries, content)
        select ${id}::uuid, * from unnest(
          ${rows.map(({ number }) => number)}::int[], ${rows.map(({ start }) => start)}::bigint[],
          ${rows.map(({ directoryStart }) => directoryStart)}::bigint[],
          ${rows.map(({ entries }) => entries)}::int[],
          ${rows.map(({ content }) => content)}::text[])`
    }
    const { maxArchives, maxLength } = limits
    // Those that a concurrent call removes are skipped.
    await sql`
      delete from archives where id = any(array(
        select id from archives where id = any(array(
          select id from (
            select id, row_number() over newest as number, sum(length) over newest as total
            from archives where account_id = ${account}
            window newest as (
              order by id = ${id} desc, requested_at desc, id desc rows unbounded preceding)) numbered
          where number > 1 and (number > ${maxArchives} or total > ${maxLength})))
        for update skip locked))`
    return toArchive(row)
  })
}
