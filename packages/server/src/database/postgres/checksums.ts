import type { Integrity } from '../../domain/asset.ts'
import type { AssetRecord } from '../asset-record.ts'
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
}

/** The objects of an imported asset. A job compares their bytes with the digests from the other deployment. */
export function toChecksumRows({ asset, upload, key, versions }: AssetRecord): ImportedObject[] {
  if (upload === undefined || key === undefined) return []
  const row = (object: {
    key: string
    bytes: number
    chunkSize: number
    integrity: Integrity
  }) => ({
    object_key: object.key,
    bytes: object.bytes,
    chunk_size: object.chunkSize,
    sha256: object.integrity.sha256,
    verified_at: object.integrity.verifiedAt?.toISOString() ?? null,
  })
  const { bytes, integrity } = asset
  return [row({ key, bytes, chunkSize: upload.chunkSize, integrity }), ...versions.map(row)]
}

export async function importChecksums(transaction: Sql, rows: ImportedObject[]): Promise<void> {
  await transaction`
    insert into checksums (object_key, bytes, chunk_size, sha256, verified_at, queue, due_at)
    select *, 'backlog', now() from unnest(
      ${rows.map((row) => row.object_key)}::uuid[], ${rows.map((row) => row.bytes)}::bigint[],
      ${rows.map((row) => row.chunk_size)}::bigint[], ${rows.map((row) => row.sha256)}::text[],
      ${rows.map((row) => row.verified_at)}::timestamptz[])
    on conflict (object_key) do nothing`
}
