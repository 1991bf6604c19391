import type { Archive, ArchiveSegment } from '../../domain/archive.ts'
import type { ArchivedAsset, ObjectState } from '../archive-data.ts'
import { type Dialect, statement } from './dialect.ts'
import { ASSET_COLUMNS, type AssetRow, type Flag, type Time, toAsset, toDate } from './rows.ts'

export interface ArchiveRow {
  id: string
  account_id: string
  filename: string
  bytes: number
  etag: string
  files: number
  links: number
}

export const ARCHIVE_COLUMNS = 'id, account_id, filename, bytes, etag, files, links'

export function toArchive({ account_id: accountId, ...row }: ArchiveRow): Archive {
  const { id, filename, bytes, etag, files, links } = row
  return { id, accountId, filename, bytes, etag, files, links }
}

/** An archive that expires after this time was stored while the clock was ahead. */
const LATEST_EXPIRY_MS = 30 * 24 * 3_600_000

/** The statements about archives. `checksum` is the column with the integrity of the current object of an asset. */
export function archiveStatements(dialect: Dialect, checksum: string) {
  const { clock, later, isIdIn, flag } = dialect
  const isExpired = `(expires_at <= ${clock} or expires_at > ${later(clock, LATEST_EXPIRY_MS)})`
  const isKept = `(
    exists (select 1 from assets
      where id = c.object_key and object_key is null and status = 'ready')
    or exists (select 1 from assets
      where assets.object_key = c.object_key and status = 'ready')
    or exists (select 1 from asset_versions v join assets a on a.id = v.asset_id
      where v.object_key = c.object_key and a.status = 'ready'))`
  return {
    findArchivedAssets: statement<{ account: string; ids: string[] }>(
      `select ${ASSET_COLUMNS.join(', ')}, ${checksum}, coalesce(object_key, id) as object_key, chunk_size,
         coalesce(version_created_at, created_at) as version_created_at,
         (select crc32 from checksums c where c.object_key = coalesce(assets.object_key, assets.id)) as crc32
       from assets
       where account_id = :account and ${isIdIn('id', 'ids')} and status = 'ready' order by id`,
    ).every(toArchivedAsset),
    findArchive: statement<{ id: string }>(
      `select ${ARCHIVE_COLUMNS}, key_id is not null and not exists (
           select 1 from keys where keys.id = archives.key_id and keys.revoked_at is null
             and (keys.expires_at is null or keys.expires_at > ${clock})
         ) as is_revoked
       from archives where id = :id and not ${isExpired}`,
    ).first((row: ArchiveRow & { is_revoked: Flag }) => ({
      ...toArchive(row),
      isRevoked: Boolean(row.is_revoked),
    })),
    listArchiveSegments: statement<{ id: string }>(
      `select number, start, directory_start, entries from archive_segments
       where archive_id = :id order by number`,
    ).every(toSegment),
    readArchiveSegment: statement<{ id: string; number: number }>(
      'select content from archive_segments where archive_id = :id and number = :number',
    ).first((row: { content: string }) => row.content),
    readObjects: statement<{ keys: string[] }>(
      `select object_key, damaged, crc32, ${isKept} as is_kept
       from checksums c where ${isIdIn('c.object_key', 'keys')}`,
    ).every(toObjectState),
    countIntactObjects: statement<{ keys: string[] }>(
      `select count(*) as count from checksums c
       where ${isIdIn('c.object_key', 'keys')} and damaged = ${flag(false)} and ${isKept}`,
    ).first(({ count }: { count: number }) => count),
    keepCrc32: statement<{ key: string; crc: number }>(
      'update checksums set crc32 = :crc where object_key = :key and crc32 is null',
    ).none(),
    anyExpiredArchive: statement(`select id from archives where ${isExpired} limit 1`).first(
      (row: { id: string }) => row.id,
    ),
    forgetArchives: statement<{ limit: number }>(
      `delete from archives where id in (
         select id from archives where ${isExpired} order by expires_at limit :limit)
       returning id`,
    ).every((row: { id: string }) => row.id),
  }
}

interface ArchivedAssetRow extends AssetRow {
  object_key: string
  chunk_size: number | null
  version_created_at: Time
  crc32: number | null
}

function toArchivedAsset(row: ArchivedAssetRow): ArchivedAsset {
  const { object_key: key, chunk_size: chunkSize, version_created_at: createdAt } = row
  const isFile = row.kind === 'file' && chunkSize !== null
  return {
    asset: toAsset(row),
    file: isFile
      ? { key, chunkSize, createdAt: toDate(createdAt), crc32: row.crc32 ?? undefined }
      : undefined,
  }
}

interface SegmentRow {
  number: number
  start: number
  directory_start: number
  entries: number
}

function toSegment({ directory_start: directoryStart, ...row }: SegmentRow): ArchiveSegment {
  return { ...row, directoryStart }
}

interface ObjectRow {
  object_key: string
  damaged: Flag
  crc32: number | null
  is_kept: Flag
}

function toObjectState({ object_key: key, damaged, crc32, is_kept }: ObjectRow): ObjectState {
  return { key, isDamaged: Boolean(damaged), isKept: Boolean(is_kept), crc32: crc32 ?? undefined }
}
