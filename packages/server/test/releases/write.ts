import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createDatabase } from '@stowage/testing/engines/a-database'
import { startPostgres } from '@stowage/testing/engines/postgres'
import postgres from 'postgres'
import {
  addToken,
  addWebhook,
  aLink,
  anAccount,
  aProduct,
  aReadyAsset,
  NOON,
  queue,
  replace,
  reserve,
  select,
  startReplacement,
} from '../../src/database/contract/builders.ts'
import type { Database } from '../../src/database/database.ts'
import { openPostgresDatabase } from '../../src/database/postgres/postgres-database.ts'
import { openSqliteDatabase } from '../../src/database/sqlite/sqlite-database.ts'

/*
 * Stores a small database of this version for both engines, which later versions must be able to upgrade:
 *
 *     npx node packages/server/test/releases/write.ts 0.3.0
 *
 * The files contain the rows. `released-databases.test.ts` creates the tables with the migrations of that time, which
 * never change.
 */

const [version = ''] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('Pass the version: write.ts 0.3.0')
const folder = join(import.meta.dirname, version)
await mkdir(folder)
await writeFile(join(folder, 'sqlite.sql'), await dumpSqlite())
await writeFile(join(folder, 'postgres.sql'), await dumpPostgres())

/** Creates at least one row of each kind. */
async function fill(database: Database): Promise<void> {
  await database.bindStorage('storage-of-the-release')
  await database.bindSecretKey('0123456789abcdef', undefined)
  const { id } = await anAccount(database, 'shop', 100_000)
  const data = database.of(id, { type: 'key', id: null, name: 'admin' })
  const key = { id: '01990000-0000-7000-8000-000000000001', name: 'shop', scope: 'manage' as const }
  await data.addKey({ ...key, hash: 'hash of a key', hint: 'abcd', createdAt: NOON }, 100)
  const webhook = await addWebhook(data, { secret: 'sealed:0123456789abcdef:AAAA' })
  await data.putProducts([
    aProduct({ id: '01990000-0000-7000-8000-000000000011', productId: 1, variantId: 11 }),
    aProduct({
      id: '01990000-0000-7000-8000-000000000012',
      productId: 1,
      variantId: 12,
      sku: 'ÄSKU',
    }),
  ])
  const file = await aReadyAsset(data, { filename: 'Über 10.zip', path: 'Kurs/Teil 1', size: 100 })
  await replace(data, file, { size: 200 })
  await data.attachProducts(file, select({ productIds: [1] }))
  const declared = await aReadyAsset(data, {
    filename: 'song 9.wav',
    size: 50,
    sha256: 'a'.repeat(64),
  })
  await startReplacement(data, declared)
  await aLink(data, { filename: 'a link' })
  const trashed = await aReadyAsset(data, { filename: 'old.pdf', size: 30 })
  await replace(data, trashed, { size: 40 })
  await data.attachProducts(trashed, select({ variantIds: [11] }))
  await data.trashAssets([trashed])
  const removed = await aReadyAsset(data, { filename: 'removed.txt', size: 20 })
  await data.deleteAssets([removed])
  await reserve(data, { filename: 'unfinished.mp4', size: 1000 })
  await addToken(data, { attach: select({ skus: ['ÄSKU'] }) })
  const repeatable = { ...key, id: '01990000-0000-7000-8000-000000000002', hash: 'hash of another' }
  const once = { key: 'admin order-1', digest: 'digest', id: repeatable.id, nonce: 'nonce' }
  await data.addKeyOnce(
    once,
    { ...repeatable, hint: 'efgh', createdAt: NOON, expiresAt: NOON },
    100,
  )
  await queue(database, webhook.id, 2, { eventAt: NOON, body: null })
  await anAccount(database, 'empty')
}

function insertOf(table: string, columns: string[], values: string[], options = ''): string {
  return `insert into ${table} (${columns.join(', ')})${options}\n  values (${values.join(', ')});\n`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

async function dumpSqlite(): Promise<string> {
  const temporary = await mkdtemp(join(tmpdir(), 'stowage-release-'))
  const file = join(temporary, 'stowage.db')
  const database = await openSqliteDatabase({ file })
  await fill(database)
  await database.close()
  const opened = new DatabaseSync(file, { readOnly: true })
  const tables = opened
    .prepare(`select name from pragma_table_list where schema = 'main' and type = 'table'`)
    .all()
    .map(({ name }) => String(name))
  const created = opened.prepare(
    `select name from sqlite_schema where type = 'table' order by rowid`,
  )
  let text = ''
  for (const { name } of created.all()) {
    const table = String(name)
    if (!tables.includes(table) || table.startsWith('sqlite_')) continue
    const columns = opened.prepare(
      `select name from pragma_table_xinfo('${table}') where hidden = 0`,
    )
    const names = columns.all().map((column) => String(column.name))
    const literals = names.map((column) => `quote(${column}) as ${column}`).join(', ')
    for (const row of opened.prepare(`select ${literals} from ${table}`).all()) {
      text += insertOf(table, names, Object.values(row).map(String))
    }
  }
  opened.close()
  await rm(temporary, { recursive: true })
  // These tables contain only indexes of texts that are in other tables.
  return `${text}insert into asset_names (rowid, search_name) select seq, search_name from assets where status = 'ready';
insert into asset_paths (rowid, search_path)
  select seq, search_path from assets where status = 'ready' and search_path is not null;
insert into product_texts (rowid, search_text) select seq, search_text from products;
`
}

async function dumpPostgres(): Promise<string> {
  const server = await startPostgres()
  const created = await createDatabase(server.url, 'template0')
  const { url } = created
  const database = await openPostgresDatabase({
    url,
    poolSize: 2,
    statementTimeoutMs: 10_000,
    tls: 'off',
  })
  await fill(database)
  await database.close()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  let text = ''
  try {
    const tables = await sql<{ name: string }[]>`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relpersistence = 'p' order by oid`
    for (const { name } of tables) {
      const columns = await sql<{ name: string }[]>`
        select attname as name from pg_attribute
        where attrelid = ${name}::regclass and attnum > 0 and not attisdropped and attgenerated = ''
        order by attnum`
      const names = columns.map((column) => column.name)
      const literals = names.map((column) => `"${column}"::text as "${column}"`).join(', ')
      for (const row of await sql.unsafe(`select ${literals} from ${name}`)) {
        const values = names.map((column) => (row[column] === null ? 'null' : quote(row[column])))
        text += insertOf(name, names, values, name === 'removals' ? ' overriding system value' : '')
      }
    }
  } finally {
    await sql.end()
    await server.close()
  }
  return `${text}select setval(pg_get_serial_sequence('removals', 'id'), (select max(id) from removals));\n`
}
