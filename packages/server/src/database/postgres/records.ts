import type { AssetRecord } from '../account-data.ts'
import { toKeyColumns } from '../shared/account-rows.ts'
import {
  type RecordRow,
  type StoredFileRow,
  toAssetColumns,
  toChecksumColumns,
  toRecord,
  toStoredFile,
  toVersionColumns,
} from '../shared/rows.ts'
import type { AccountMethods } from '../shared/wire-account-data.ts'
import type { DatabaseMethods } from '../shared/wire-database.ts'
import { importChecksums } from './checksums.ts'
import { inTransaction, type Sql } from './connection.ts'
import { checksumColumn, FIRST_ID, uploadColumns } from './rows.ts'

/** A statement can have 65,535 parameters. */
const ROWS_PER_STATEMENT = 2000

function* batchesOf<Row>(rows: Row[]): Iterable<Row[]> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    yield rows.slice(start, start + ROWS_PER_STATEMENT)
  }
}

/** Exports the assets of a deployment. */
export function globalRecords(sql: Sql): DatabaseMethods['records'] {
  return {
    async listRecords(after = FIRST_ID, limit) {
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
              and assets.id > coalesce(a.trash_after, ${FIRST_ID}) and not exists (
                select from trash_exceptions e
                where e.account_id = assets.account_id and e.asset_id = assets.id)
          ) as is_being_deleted,
          exists (
            select from folder_moves m
            where m.account_id = assets.account_id and m.finished_at is null
              and m.source <= assets.folder and m.source_end > assets.folder and not exists (
                select from folder_move_exceptions where move_id = m.id and asset_id = assets.id)
          ) as is_being_moved,
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
export function accountRecords(sql: Sql, account: string): AccountMethods['records'] {
  async function importAssets(records: AssetRecord[]): Promise<void> {
    const productIds = records.flatMap((record) => record.productIds)
    await sql`
      select from products where id = any(${productIds}::uuid[])
      order by product_id, variant_id for key share`
    const ids = new Set<string>()
    for (const batch of batchesOf(records)) {
      const rows = batch.map((record) => toAssetColumns(account, record))
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
    const versions = added.flatMap((record) => toVersionColumns(account, record))
    for (const rows of batchesOf(versions)) {
      await sql`insert into asset_versions ${sql(rows)}`
    }
    await importChecksums(
      sql,
      records.flatMap((record) => toChecksumColumns(account, record)),
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
    // Like all assets that arrive, they were excepted.
    const beingMoved = added.filter(({ isBeingMoved }) => isBeingMoved).map(({ asset }) => asset.id)
    await sql`
      delete from folder_move_exceptions where asset_id = any(${beingMoved}::uuid[])
        and move_id in (
          select id from folder_moves where account_id = ${account} and finished_at is null)`
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
          const rows = keys.map((key) => toKeyColumns(account, key))
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

/** The objects of all accounts, in the order of their keys. Each subquery reads an index in this order. */
export function globalStoredFiles(sql: Sql): DatabaseMethods['storedFiles'] {
  return {
    async listStoredFiles(after = FIRST_ID, limit) {
      const rows = await sql<StoredFileRow[]>`
        select files.*, ${checksumColumn(sql, 'files.key')} from (
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
