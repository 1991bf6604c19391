import { type AssetRecord, filesOf } from '../asset-record.ts'
import type { Sql } from './connection.ts'
import type { Fragment } from './statement.ts'

/**
 * Queues the checksums of new objects: `completed` has rows with the columns `id`, `bytes` and `chunk_size`. If a digest
 * was declared, downloads of the account `withheldFor` do not get the object until its bytes have that digest.
 */
export function queueChecksums(
  sql: Sql,
  completed: Fragment,
  withheldFor: string | null,
): Fragment {
  return sql`
    insert into checksums (object_key, bytes, chunk_size, queue, due_at)
    select id, bytes, chunk_size, 'new', now() from ${completed}
    on conflict (object_key) do update
    set bytes = excluded.bytes, queue = 'new', due_at = excluded.due_at,
      withheld_for = ${withheldFor}::uuid`
}

interface ImportedObject {
  object_key: string
  bytes: number
  chunk_size: number
  sha256: string | null
  /** As text: `ARRAY_TYPES` does not serialize dates. */
  verified_at: string | null
  damaged: number
  withheld_for: string | null
}

/**
 * The objects of an imported asset. A job compares their bytes with the digests from the other deployment. A damaged one
 * stays damaged until its bytes have that digest, and one that was withheld from downloads there is withheld here, too.
 */
export function toChecksumRows(account: string, record: AssetRecord): ImportedObject[] {
  return filesOf(record).map(({ key, bytes, chunkSize, integrity }) => ({
    object_key: key,
    bytes,
    chunk_size: chunkSize,
    sha256: integrity.sha256,
    verified_at: integrity.verifiedAt?.toISOString() ?? null,
    damaged: Number(integrity.isDamaged),
    withheld_for: integrity.isWithheld ? account : null,
  }))
}

export async function importChecksums(transaction: Sql, rows: ImportedObject[]): Promise<void> {
  await transaction`
    insert into checksums
      (object_key, bytes, chunk_size, sha256, verified_at, damaged, withheld_for, queue, due_at)
    select key, bytes, chunk_size, sha256, verified_at, damaged = 1, withheld_for,
      case when withheld_for is null then 'backlog' else 'new' end, now()
    from unnest(
      ${rows.map((row) => row.object_key)}::uuid[], ${rows.map((row) => row.bytes)}::bigint[],
      ${rows.map((row) => row.chunk_size)}::bigint[], ${rows.map((row) => row.sha256)}::text[],
      ${rows.map((row) => row.verified_at)}::timestamptz[],
      ${rows.map((row) => row.damaged)}::int[], ${rows.map((row) => row.withheld_for)}::uuid[])
      as copied (key, bytes, chunk_size, sha256, verified_at, damaged, withheld_for)
    on conflict (object_key) do update set sha256 = coalesce(checksums.sha256, excluded.sha256),
      verified_at = coalesce(excluded.verified_at, checksums.verified_at),
      damaged = excluded.damaged,
      withheld_for = case when checksums.verified_at is null then excluded.withheld_for end,
      due_at = case when excluded.damaged then excluded.due_at else checksums.due_at end`
}
