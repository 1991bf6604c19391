import type { Key } from '../../domain/key.ts'
import { pathOfStored, searchPath, storedFolder } from '../../domain/names.ts'
import { foldText, sortName } from '../../domain/search.ts'
import type { AccountData, AssetRecord } from '../account-data.ts'
import type { Database, StoredFile } from '../database.ts'
import { importChecksums, toChecksumRows } from './checksums.ts'
import { inTransaction, type Sql } from './connection.ts'
import {
  checksumOf,
  type StoredChecksum,
  toAsset,
  toIntegrity,
  type UploadRow,
  uploadColumns,
} from './rows.ts'

interface RecordRow extends UploadRow {
  changed_at: Date
  idempotency_key: string | null
  request_digest: string | null
  product_ids: string[]
  last_version: number
  version_created_at: Date | null
  trashed_at: Date | null
  is_being_deleted: boolean
  versions: VersionRow[] | null
}

interface VersionRow {
  version: number
  key: string
  chunkSize: number
  filename: string
  bytes: number
  mime: string
  createdAt: string
  checksum: StoredChecksum | null
}

/** A statement can have 65,535 parameters. */
const ROWS_PER_STATEMENT = 2000

function* batchesOf<Row>(rows: Row[]): Iterable<Row[]> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    yield rows.slice(start, start + ROWS_PER_STATEMENT)
  }
}

const FIRST = '00000000-0000-0000-0000-000000000000'

/** Exports the assets of a deployment. */
export function globalRecords(sql: Sql): Pick<Database, 'listRecords'> {
  return {
    async listRecords(after = FIRST, limit) {
      const rows = await sql<RecordRow[]>`
        select ${uploadColumns(sql)}, changed_at, idempotency_key, request_digest,
          trashed_at, array(
            select product_id from asset_products where asset_id = assets.id
            union all
            select t.product_id from trashed_attachments t join products p on p.id = t.product_id
            where t.asset_id = assets.id order by 1) as product_ids,
          last_version, version_created_at,
          exists (
            select from accounts a
            where a.id = assets.account_id and assets.status = 'ready' and assets.id <= a.trash_until
              and assets.id > coalesce(a.trash_after, ${FIRST}) and not exists (
                select from trash_exceptions e
                where e.account_id = assets.account_id and e.asset_id = assets.id)
          ) as is_being_deleted,
          (select json_agg(json_build_object('version', version, 'key', object_key,
             'chunkSize', chunk_size, 'filename', filename, 'bytes', bytes, 'mime', mime,
             'createdAt', created_at, 'checksum',
             (select json_build_array(c.sha256, c.verified_at, c.damaged, c.withheld_for is not null) from checksums c
              where c.object_key = v.object_key)) order by replaced_in)
           from asset_versions v where v.asset_id = assets.id) as versions
        from assets where (status = 'ready' or trashed_at is not null) and id > ${after} order by id limit ${limit}`
      return rows.map(toRecord)
    },
  }
}

/** Imports keys and assets of another deployment. */
export function accountRecords(sql: Sql, account: string): Pick<AccountData, 'importRecords'> {
  async function importAssets(records: AssetRecord[]): Promise<void> {
    const productIds = records.flatMap((record) => record.productIds)
    await sql`
      select from products where id = any(${productIds}::uuid[])
      order by product_id, variant_id for key share`
    const ids = new Set<string>()
    for (const batch of batchesOf(records)) {
      const rows = batch.map((record) => toAssetRow(account, record))
      const inserted = await sql<{ id: string }[]>`
        insert into assets ${sql(rows)} on conflict (id) do nothing returning id`
      for (const { id } of inserted) ids.add(id)
    }
    const added = records.filter(({ asset }) => ids.has(asset.id))
    const attached = attachmentsOf(added.filter(({ trashedAt }) => trashedAt === undefined))
    // Passed as arrays: there may be more attachments than a statement can have parameters.
    await sql`
      insert into asset_products (asset_id, product_id)
      select * from unnest(${attached.map(({ asset_id }) => asset_id)}::uuid[],
        ${attached.map(({ product_id }) => product_id)}::uuid[])`
    const kept = attachmentsOf(added.filter(({ trashedAt }) => trashedAt !== undefined))
    await sql`
      insert into trashed_attachments (asset_id, product_id)
      select * from unnest(${kept.map(({ asset_id }) => asset_id)}::uuid[],
        ${kept.map(({ product_id }) => product_id)}::uuid[])`
    const versions = added.flatMap((record) => toVersionRows(account, record))
    for (const rows of batchesOf(versions)) {
      await sql`insert into asset_versions ${sql(rows)}`
    }
    await importChecksums(
      sql,
      records.flatMap((record) => toChecksumRows(account, record)),
    )
    await sql`
      update accounts set asset_count = asset_count + sums.count,
        stored_bytes = stored_bytes + sums.stored, trash_bytes = trash_bytes + sums.trash
      from (
        select count(*) filter (where status = 'ready') as count,
          coalesce(sum(total) filter (where status = 'ready'), 0) as stored,
          coalesce(sum(total) filter (where trashed_at is not null), 0) as trash
        from (
          select status, trashed_at, case kind when 'file' then bytes else 0 end + coalesce(
            (select sum(v.bytes) from asset_versions v where v.asset_id = assets.id), 0) as total
          from assets where id = any(${[...ids]}::uuid[])
        ) added
      ) sums
      where id = ${account}`
    const others = added
      .filter(({ isBeingDeleted }) => !isBeingDeleted)
      .map(({ asset }) => asset.id)
    await sql`
      insert into trash_exceptions (account_id, asset_id)
      select a.id, other from accounts a, unnest(${others}::uuid[]) other
      where a.id = ${account} and other <= a.trash_until on conflict do nothing`
  }

  return {
    importRecords: ({ keys, assets }) =>
      inTransaction(sql, async () => {
        if (keys.length > 0) {
          const rows = keys.map((key) => toKeyRow(account, key))
          await sql`
            insert into keys ${sql(rows)} on conflict (id) do update
            set revoked_at = coalesce(keys.revoked_at, excluded.revoked_at)`
        }
        if (assets.length > 0) await importAssets(assets)
      }),
  }
}

function attachmentsOf(records: AssetRecord[]) {
  return records.flatMap(({ asset, productIds }) =>
    productIds.map((product_id) => ({ asset_id: asset.id, product_id })),
  )
}

function toAssetRow(account: string, record: AssetRecord) {
  const { asset, upload, idempotency, changedAt, productIds, trashedAt } = record
  return {
    id: asset.id,
    account_id: account,
    kind: asset.kind,
    status: trashedAt === undefined ? 'ready' : 'deleted',
    filename: asset.filename,
    search_name: foldText(asset.filename),
    sort_name: sortName(asset.filename),
    bytes: asset.bytes,
    mime: asset.mime,
    url: asset.url,
    created_at: asset.createdAt,
    upload_id: upload?.id ?? null,
    chunk_size: upload?.chunkSize ?? null,
    expires_at: upload?.expiresAt ?? null,
    changed_at: changedAt,
    idempotency_key: idempotency?.key ?? null,
    request_digest: idempotency?.digest ?? null,
    linked: productIds.length > 0 && trashedAt === undefined,
    folder: storedFolder(asset.path),
    search_path: searchPath(asset.path),
    version: asset.version,
    last_version: record.lastVersion,
    version_changes: record.versions.length,
    object_key: record.key === asset.id ? null : (record.key ?? null),
    version_created_at: record.versionCreatedAt,
    updated_at: asset.updatedAt,
    trashed_at: trashedAt ?? null,
  }
}

function toVersionRows(account: string, { asset, versions, trashedAt }: AssetRecord) {
  return versions.map((old, index) => ({
    asset_id: asset.id,
    account_id: account,
    version: old.version,
    object_key: old.key,
    chunk_size: old.chunkSize,
    filename: old.filename,
    bytes: old.bytes,
    mime: old.mime,
    created_at: old.createdAt,
    replaced_in: index + 1,
    trashed: trashedAt !== undefined,
  }))
}

function toKeyRow(account: string, key: Key) {
  return {
    id: key.id,
    account_id: account,
    name: key.name,
    scope: key.scope,
    hash: key.hash,
    hint: key.hint,
    created_at: key.createdAt,
    last_used_at: key.lastUsedAt,
    revoked_at: key.revokedAt,
  }
}

function toRecord(row: RecordRow): AssetRecord {
  const { idempotency_key: key, request_digest: digest } = row
  return {
    asset: toAsset(row),
    upload:
      row.kind === 'link'
        ? undefined
        : { id: row.upload_id, chunkSize: row.chunk_size, expiresAt: row.expires_at },
    idempotency: key === null || digest === null ? undefined : { key, digest },
    changedAt: row.changed_at,
    ...(row.trashed_at !== null && { trashedAt: row.trashed_at }),
    ...(row.is_being_deleted && { isBeingDeleted: true }),
    productIds: row.product_ids,
    key: row.kind === 'link' ? undefined : (row.object_key ?? row.id),
    versionCreatedAt: row.version_created_at ?? row.created_at,
    lastVersion: row.last_version,
    versions: (row.versions ?? []).map(({ createdAt, checksum, ...version }) => ({
      ...version,
      createdAt: new Date(createdAt),
      integrity: toIntegrity(checksum),
    })),
  }
}

interface StoredFileRow {
  key: string
  asset_id: string
  folder: string | null
  filename: string
  bytes: number
  chunk_size: number
  version: number
  is_current: boolean
  checksum: StoredChecksum | null
}

const FIRST_KEY = '00000000-0000-0000-0000-000000000000'

/** The objects of all accounts, in the order of their keys. Each subquery reads an index in this order. */
export function globalStoredFiles(sql: Sql): Pick<Database, 'listStoredFiles'> {
  return {
    async listStoredFiles(after = FIRST_KEY, limit) {
      const rows = await sql<StoredFileRow[]>`
        select files.*, ${checksumOf(sql, sql`files.key`)} from (
        (select id as key, id as asset_id, folder, filename, bytes, chunk_size, version,
           true as is_current
         from assets
         where (status = 'ready' or trashed_at is not null) and kind = 'file' and object_key is null and id > ${after}
         order by id limit ${limit})
        union all
        (select object_key, id, folder, filename, bytes, chunk_size, version, true from assets
         where object_key is not null and object_key > ${after}
           and (status = 'ready' or trashed_at is not null)
         order by object_key limit ${limit})
        union all
        (select v.object_key, asset_id, folder, v.filename, v.bytes, v.chunk_size, v.version, false
         from asset_versions v join assets on assets.id = asset_id
         where v.object_key > ${after} order by v.object_key limit ${limit})
        order by key limit ${limit}) files order by key`
      return rows.map(toStoredFile)
    },
  }
}

function toStoredFile(row: StoredFileRow): StoredFile {
  return {
    key: row.key,
    assetId: row.asset_id,
    path: pathOfStored(row.folder),
    filename: row.filename,
    bytes: row.bytes,
    chunkSize: row.chunk_size,
    version: row.version,
    isCurrent: row.is_current,
    integrity: toIntegrity(row.checksum),
  }
}
