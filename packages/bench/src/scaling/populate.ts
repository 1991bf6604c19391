import { randomBytes } from 'node:crypto'
import { openPostgresDatabase } from '@stowage/server/src/database/postgres/postgres-database'
import { recountCounters } from '@stowage/server/src/database/walk-database'
import { formatApiKey, KEY_ENTROPY_BYTES } from '@stowage/server/src/domain/key'
import { hashKey } from '@stowage/server/src/operations/authentication'
import type postgres from 'postgres'
import { progress } from '../progress.ts'

interface Population {
  assets: number
  accounts: number
  /** One asset in this many belongs to the first shop. The others share the rest evenly. */
  largeOneIn: number
}

/** An account with a key, so that its calls can be measured. */
export interface Shop {
  name: string
  key: string
  assets: number
}

const PRODUCTS_EACH = 10
const BATCH = 250_000

/** Fills the empty database at `url`. The shop with the most assets comes first. */
export async function populate(
  url: string,
  { sql, ...population }: Population & { sql: postgres.Sql },
): Promise<Shop[]> {
  const options = { url, poolSize: 2, statementTimeoutMs: 3_600_000, tls: 'off' } as const
  const database = await openPostgresDatabase(options)
  try {
    const indexes = await sql<{ name: string; definition: string }[]>`
      select indexname as name, indexdef as definition from pg_indexes
      where tablename in ('assets', 'asset_products')
        and indexname not in (select conname from pg_constraint)
        -- The triggers use this index.
        and indexname <> 'assets_ready'`
    for (const { name } of indexes) await sql`drop index ${sql(name)}`
    await fillAccounts(sql, population)
    // Foreign keys are not checked, because the attachments are correct by construction. The counting triggers stay
    // enabled.
    const triggers = await sql<{ name: string }[]>`
      select tgname as name from pg_trigger where tgrelid = 'assets'::regclass and not tgisinternal`
    for (const { name } of triggers) {
      await sql`alter table assets enable always trigger ${sql(name)}`
    }
    await sql`set session_replication_role = replica`
    for (let start = 0; start < population.assets; start += BATCH) {
      progress(`filling: ${start} of ${population.assets} assets`)
      await fillAssets(sql, population, start)
    }
    await sql`set session_replication_role = origin`
    for (const { name } of triggers) await sql`alter table assets enable trigger ${sql(name)}`
    await sql`set maintenance_work_mem = '2GB'`
    for (const { name, definition } of indexes) {
      progress(`indexing: ${name}`)
      await sql.unsafe(definition)
    }
    progress('recounting the usage')
    await recountCounters(database)
    progress('vacuum analyze')
    await sql.unsafe('vacuum analyze')
    return await shopsOf(sql)
  } finally {
    await database.close()
  }
}

/** No ID is zero: the service starts after zero when it walks all rows. */
async function fillAccounts(sql: postgres.Sql, { accounts }: Population): Promise<void> {
  await sql`
    insert into accounts (id, name, plan_name, plan_storage, created_at)
    select lpad(to_hex(n + 1), 32, '0')::uuid, 'shop-' || n, 'large', 1000000000000000, now()
    from generate_series(0, ${accounts}::int - 1) n`
  await sql`
    insert into products (id, account_id, product_id, variant_id, name, variant_name, sku, vendor,
      tags, search_name, search_vendor, search_tags, search_sku)
    select lpad(to_hex(a * ${PRODUCTS_EACH} + p + 1), 32, '0')::uuid, lpad(to_hex(a + 1), 32, '0')::uuid,
      p, p, 'Product ' || p, '', 'SKU-' || p, 'Vendor', '{}', 'product ' || p, 'vendor', '{}', 'sku-' || p
    from generate_series(0, ${accounts}::int - 1) a, generate_series(0, ${PRODUCTS_EACH}::int - 1) p`
}

/** Inserts in chronological order, as in production: the rows of one shop are far apart. */
async function fillAssets(
  sql: postgres.Sql,
  { assets, accounts, largeOneIn }: Population,
  start: number,
): Promise<void> {
  const last = Math.min(start + BATCH, assets) - 1
  await sql`
    with made as (
      select n, case when n % ${largeOneIn}::bigint = 0 then 0 else 1 + (n * 7919) % (${accounts}::bigint - 1) end as a,
        timestamptz '2024-01-01' + n * interval '1 second' as at
      from generate_series(${start}::bigint, ${last}::bigint) n
    ), named as (
      select *, lpad(to_hex(1704067200000 + n * 1000), 12, '0') || '70008000'
          || lpad(to_hex(n), 12, '0') as id,
        (array['summer','drum','vocal','guitar','ambient','studio','live','remix','loop'])[1 + n % 9]
          || case when n % 3331 < 10 then '-zebra' else '-take' end || '-pack-' as stem
      from made
    ), stored as (
      insert into assets (id, account_id, kind, status, filename, search_name, sort_name, bytes, mime,
        created_at, changed_at, upload_id, chunk_size, expires_at, attached)
      select id::uuid, lpad(to_hex(a + 1), 32, '0')::uuid, 'file', 'ready', name, name,
        -- As sortName returns it.
        stem || length(n::text) || n || replace(extension, 'mp4', 'mp14'),
        1000 + (n * 7919) % 100000, 'application/octet-stream', at, at, id::uuid, 100000000, at, true
      from named, lateral (select (array['.zip','.wav','.pdf','.mp4','.jpg'])[1 + n % 5] as extension) e,
        lateral (select stem || n || extension as name) named_file
    )
    insert into asset_products (asset_id, product_id)
    select id::uuid, lpad(to_hex(a * ${PRODUCTS_EACH} + n % ${PRODUCTS_EACH} + 1), 32, '0')::uuid
    from named`
}

/** Creates a key for every shop. */
async function shopsOf(sql: postgres.Sql): Promise<Shop[]> {
  const rows = await sql<{ id: string; name: string; assets: number }[]>`
    select id, name, asset_count::float8 as assets from accounts order by asset_count desc, id`
  const shops = rows.map((row) => ({ ...row, key: formatApiKey(randomBytes(KEY_ENTROPY_BYTES)) }))
  const keys = shops.map(({ id, key }) => ({ account: id, hash: hashKey(key) }))
  await sql`
    insert into keys (id, account_id, name, scope, hash, hint, created_at)
    select gen_random_uuid(), account::uuid, 'scaling', 'manage', hash, '', now()
    from jsonb_to_recordset(${sql.json(keys)}) as made (account text, hash text)`
  return shops.map(({ name, key, assets }) => ({ name, key, assets }))
}
