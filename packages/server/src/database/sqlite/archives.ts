import type { Archive } from '../../domain/archive.ts'
import type { ArchiveLimits, NewArchive } from '../archive-data.ts'
import { ARCHIVE_COLUMNS, type ArchiveRow, toArchive } from '../shared/archive-rows.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import type { Connection } from './connection.ts'
import type { Steps } from './long-writes.ts'

export function prepareArchives({ prepare }: Connection) {
  const renew = prepare<ArchiveRow>(
    `update archives set requested_at = :now, expires_at = :expires_at
     where account_id = :account and selection = :selection and expires_at > :now
     returning ${ARCHIVE_COLUMNS}`,
  )
  // One that has expired, and that no job has removed yet.
  const removeSame = prepare(
    'delete from archives where account_id = :account and selection = :selection',
  )
  const insert = prepare<ArchiveRow>(
    `insert into archives (id, account_id, key_id, selection, etag, filename, bytes, files, links,
       length, requested_at, expires_at)
     values (:id, :account, :key_id, :selection, :etag, :filename, :bytes, :files, :links,
       :length, :now, :expires_at)
     returning ${ARCHIVE_COLUMNS}`,
  )
  const insertSegment = prepare(
    `insert into archive_segments (archive_id, number, start, directory_start, entries, content)
     values (:id, :number, :start, :directory_start, :entries, :content)`,
  )
  const removeOldest = prepare(
    `delete from archives where id in (
       select id from (
         select id, row_number() over newest as number, sum(length) over newest as total
         from archives where account_id = :account
         window newest as (order by id = :id desc, requested_at desc, id desc rows unbounded preceding))
       where number > 1 and (number > :max_archives or total > :max_length))`,
  )

  return {
    *addArchive(
      { account }: Writer,
      { segments, selection, ...archive }: NewArchive,
      limits: ArchiveLimits,
    ): Steps<Archive> {
      const now = Date.now()
      const times = { now, expires_at: now + limits.keptForMs }
      const known = renew.get({ account, selection, ...times })
      if (known !== undefined) return toArchive(known)
      removeSame.run({ account, selection })
      const { id, keyId, etag, filename, bytes, files, links } = archive
      const length = segments.reduce((sum, { content }) => sum + content.length, 0)
      const values = { id, key_id: keyId, etag, filename, bytes, files, links, length }
      const row = insert.get({ account, selection, ...values, ...times })
      if (row === undefined) throw new Error('the archive was not stored')
      for (const { number, start, directoryStart, entries, content } of segments) {
        insertSegment.run({ id, number, start, directory_start: directoryStart, entries, content })
        yield
      }
      const { maxArchives, maxLength } = limits
      removeOldest.run({ account, id, max_archives: maxArchives, max_length: maxLength })
      return toArchive(row)
    },
  }
}
