import { type AssetRecord, filesOf } from '../asset-record.ts'
import type { Sql } from './connection.ts'
import type { Fragment } from './statement.ts'

/** Queues the checksums of new objects: `completed` has rows with the columns `id`, `bytes` and `chunk_size`. */
export function queueChecksums(sql: Sql, completed: Fragment): Fragment {
  return sql`
    insert into checksums (object_key, bytes, chunk_size, queue, due_at)
    select id, bytes, chunk_size, 'new', now() from ${completed}
    on conflict (object_key) do update
    set bytes = excluded.bytes, queue = 'new', due_at = excluded.due_at`
}

interface ImportedObject {
  object_key: string
  bytes: number
  chunk_size: number
  sha256: string | null
  /** As text: `ARRAY_TYPES` does not serialize dates. */
  verified_at: string | null
  damaged: number
}

/**
 * The objects of an imported asset. A job compares their bytes with the digests from the other deployment. A damaged one
 * stays damaged until its bytes have that digest.
 */
export function toChecksumRows(record: AssetRecord): ImportedObject[] {
  return filesOf(record).map(({ key, bytes, chunkSize, integrity }) => ({
    object_key: key,
    bytes,
    chunk_size: chunkSize,
    sha256: integrity.sha256,
    verified_at: integrity.verifiedAt?.toISOString() ?? null,
    damaged: Number(integrity.isDamaged),
  }))
}

export async function importChecksums(transaction: Sql, rows: ImportedObject[]): Promise<void> {
  await transaction`
    insert into checksums (object_key, bytes, chunk_size, sha256, verified_at, damaged, queue, due_at)
    select key, bytes, chunk_size, sha256, verified_at, damaged = 1, 'backlog', now() from unnest(
      ${rows.map((row) => row.object_key)}::uuid[], ${rows.map((row) => row.bytes)}::bigint[],
      ${rows.map((row) => row.chunk_size)}::bigint[], ${rows.map((row) => row.sha256)}::text[],
      ${rows.map((row) => row.verified_at)}::timestamptz[],
      ${rows.map((row) => row.damaged)}::int[])
      as copied (key, bytes, chunk_size, sha256, verified_at, damaged)
    on conflict (object_key) do update set sha256 = coalesce(checksums.sha256, excluded.sha256),
      verified_at = coalesce(excluded.verified_at, checksums.verified_at),
      damaged = excluded.damaged,
      due_at = case when excluded.damaged then excluded.due_at else checksums.due_at end`
}
