import { createHash, type Hash } from 'node:crypto'
import { constants, copyFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { MIGRATIONS } from '@stowage/server/src/database/sqlite/migrations'
import { progress } from '../progress.ts'
import type { WorkloadContext } from '../workload.ts'
import type { DatabaseCopy, ReleasedContents, ReleasedDatabase } from './released-database.ts'
import { type ReleasedMigration, releasedMigrations } from './released-migrations.ts'

/** Columns that differ with every upgrade, and are not compared. */
const IGNORED_COLUMNS = [
  'checksums.due_at',
  'identity.id',
  'identity.storage_id',
  'migrations.applied_at',
]

export async function createReleasedSqlite(
  context: WorkloadContext,
  contents: ReleasedContents,
): Promise<ReleasedDatabase> {
  const released = join(await context.folder(), 'released.db')
  const { before, after } = await releasedMigrations(MIGRATIONS)
  progress('SQLite: creating the database of the last release')
  const database = new DatabaseSync(released)
  // After a crash, the next run creates a new file, so this one needs no protection.
  database.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -500000')
  database.exec(
    'create table migrations (name text primary key, checksum text not null, applied_at text not null) strict',
  )
  database.exec('begin')
  apply(database, before)
  fill(database, contents)
  apply(database, after)
  database.exec('commit')
  database.exec('pragma journal_mode = wal')
  database.close()
  return {
    engine: 'SQLite',
    async copy() {
      const folder = await context.folder()
      const file = join(folder, 'stowage.db')
      await copyFile(released, file, constants.COPYFILE_FICLONE)
      return copyOf(folder, file)
    },
  }
}

function apply(database: DatabaseSync, migrations: ReleasedMigration[]): void {
  const record = database.prepare(`insert into migrations values (?, ?, datetime('now'))`)
  for (const { name, sql, checksum } of migrations) {
    database.exec(sql)
    record.run(name, checksum)
  }
}

/** One in 50 assets is a link. */
function fill(database: DatabaseSync, { assets, products }: ReleasedContents): void {
  database.exec(`
    insert into accounts (id, name, plan_name, plan_storage, created_at)
    values ('00000000-0000-7000-8000-00000000beef', 'default', 'default', 1000000000000000, 0);
    with recursive numbers (value) as (
      select 1 union all select value + 1 from numbers where value < ${products}
    )
    insert into products (seq, id, account_id, product_id, variant_id, name, variant_name, sku, vendor,
      tags, search_name, search_vendor)
    select value, printf('00000000-0000-7000-8000-%012x', value), (select id from accounts), value,
      value, 'Product ' || value, '', 'SKU-' || value, 'Vendor', '[]', 'product ' || value, 'vendor'
    from numbers;
    insert into product_names (rowid, search_name) select seq, search_name from products;
    with recursive numbers (value) as (
      select 1 union all select value + 1 from numbers where value < ${assets}
    )
    insert into assets (seq, id, account_id, kind, status, filename, search_name, bytes, mime, url,
      created_at, changed_at, upload_id, storage_id, chunk_size, expires_at, linked)
    select n, id, (select id from accounts), iif(n % 50 = 0, 'link', 'file'), 'ready', name, lower(name),
      iif(n % 50 = 0, 0, 1000 + (n * 7919) % 100000), 'application/octet-stream',
      iif(n % 50 = 0, 'https://example.com/' || n, null), at, at,
      iif(n % 50 = 0, null, id), iif(n % 50 = 0, null, id), iif(n % 50 = 0, null, 100000000),
      iif(n % 50 = 0, null, at), 1
    from (
      select value as n, 1704067200000 + value * 1000 as at,
        printf('%s-%s-7000-8000-%012x', substr(printf('%012x', 1704067200000 + value * 1000), 1, 8),
          substr(printf('%012x', 1704067200000 + value * 1000), 9), value) as id,
        json_extract('["summer","drum","vocal","guitar","Ambient","studio","live"]',
          '$[' || (value % 7) || ']') || '-pack-' || value || '.zip' as name
      from numbers
    );
    insert into asset_names (rowid, search_name) select seq, search_name from assets;
    insert into asset_products (asset_seq, product_seq)
    select seq, 1 + seq % ${products} from assets;
    update accounts set asset_count = ${assets}, stored_bytes = (select sum(bytes) from assets)`)
}

function copyOf(folder: string, file: string): DatabaseCopy {
  const read = <Result>(work: (database: DatabaseSync) => Result): Result => {
    const database = new DatabaseSync(file)
    try {
      return work(database)
    } finally {
      database.close()
    }
  }
  return {
    settings: { STOWAGE_DATA: folder },
    bytes: async () => (await stat(file)).size,
    state: async () =>
      read((database) => {
        const one = (sql: string) => Number(database.prepare(sql).get()?.n)
        const hasSortNames =
          one(`select count(*) as n from pragma_table_info('assets') where name = 'sort_name'`) > 0
        return {
          migrations: one('select count(*) as n from migrations'),
          sortNames: hasSortNames ? one('select count(sort_name) as n from assets') : 0,
        }
      }),
    digest: async () =>
      read((database) => {
        const found = database.prepare('pragma integrity_check').get()?.integrity_check
        if (found !== 'ok') throw new Error(`${file}: ${found}`)
        const hash = createHash('sha256')
        for (const { type, name, sql } of database
          .prepare('select type, name, sql from sqlite_schema order by type, name')
          .iterate()) {
          hash.update(`${type} ${name} ${sql}\n`)
          // The virtual tables are full-text indexes. Their contents are in tables of their own.
          if (type === 'table' && !/^create virtual/i.test(`${sql}`))
            hashRows(hash, database, `${name}`)
        }
        return hash.digest('hex')
      }),
  }
}

/** Hashes all rows, in the order in which SQLite reads them. */
function hashRows(hash: Hash, database: DatabaseSync, table: string): void {
  for (const row of database.prepare(`select * from "${table}"`).iterate()) {
    for (const [column, value] of Object.entries(row)) {
      if (IGNORED_COLUMNS.includes(`${table}.${column}`)) continue
      hash.update(value instanceof Uint8Array ? value : `${value}`)
      hash.update('\0')
    }
  }
}
