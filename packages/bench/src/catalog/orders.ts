import { constants, copyFile, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { toOrderColumns } from '@stowage/server/src/database/shared/order-rows'
import type { Order } from '@stowage/server/src/domain/order'
import { hashOrderToken } from '@stowage/server/src/operations/orders'
import { CACHE_FOLDER } from '../processes/peers.ts'
import { progress } from '../progress.ts'
import type { WorkloadContext } from '../workload.ts'
import { copyFilled, exists, fingerprint, startFilledPostgres, withoutIndexes } from './filled.ts'
import { assetId } from './records.ts'

/** Two files for each product. */
const ASSETS = 1000
const BATCH = 50_000
const PRODUCTS = 500
const FIRST_AT = Date.UTC(2024, 0, 1)

/** One order in ten is for this product. */
export const POPULAR_PRODUCT = 1_000_000
export const POPULAR_EVERY = 10

/** Copies a SQLite database with this many orders into a data folder. It is created once and cached. */
export async function copyOrders(folder: string, count: number): Promise<string> {
  const cache = join(CACHE_FOLDER, 'bench-orders')
  const filled = join(cache, `${count}-${await fingerprint([import.meta.filename])}.db`)
  if (!(await exists(filled))) {
    const unfinished = join(cache, `${count}.unfinished`)
    await rm(unfinished, { recursive: true, force: true })
    await mkdir(unfinished, { recursive: true })
    const file = await copyFilled(unfinished, ASSETS)
    await addOrders(file, count)
    await rename(file, filled)
    await rm(unfinished, { recursive: true })
  }
  const file = join(folder, 'stowage.db')
  await copyFile(filled, file, constants.COPYFILE_FICLONE)
  return file
}

/**
 * Straight into the tables: the port would take minutes. The indexes are created afterwards, and the triggers of the trigram index
 * do not run.
 */
async function addOrders(file: string, count: number): Promise<void> {
  const database = new DatabaseSync(file)
  database.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -500000')
  const { id: account } = database
    .prepare("select id from accounts where name = 'default'")
    .get() as { id: string }
  const dropped = database
    .prepare(
      `select type, name, sql from sqlite_schema
       where tbl_name = 'orders' and type in ('index', 'trigger') and sql is not null`,
    )
    .all() as { type: string; name: string; sql: string }[]
  for (const { type, name } of dropped) database.exec(`drop ${type} ${name}`)
  const values = Object.keys(toOrderColumns(account, orderAt(account, 0)))
  const insert = database.prepare(
    `insert into orders (${columnsOf(account)}) values (${values.map((name) => `:${name}`).join(', ')})`,
  )
  const line = database.prepare(
    'insert into order_lines (order_id, line, account_id, product_id, quantity) values (?, 0, ?, ?, 1)',
  )
  database.exec('begin')
  for (let index = 0; index < count; index += 1) {
    const order = orderAt(account, index)
    insert.run(toValues(toOrderColumns(account, order)))
    line.run(order.id, account, productOf(index))
    if (index % BATCH === 0) progress(`filling: ${index} of ${count} orders`)
  }
  progress('filling: the indexes of the orders')
  database.exec('insert into order_texts (rowid, search_text) select seq, search_text from orders')
  for (const { sql } of dropped) database.exec(sql)
  database.exec(`update accounts set order_count = ${count}; commit; pragma journal_mode = wal`)
  database.close()
}

/** As SQLite stores them. */
function toValues(columns: object): Record<string, string | number | null> {
  const value = (given: unknown) => {
    if (given instanceof Date) return given.getTime()
    return typeof given === 'boolean' ? Number(given) : given
  }
  return Object.fromEntries(
    Object.entries(columns).map(([name, given]) => [name, value(given) as string | number | null]),
  )
}

function columnsOf(account: string): string {
  const columns = Object.keys(toOrderColumns(account, orderAt(account, 0)))
  return columns.join(', ').replace('account,', 'account_id,')
}

/** As in production, every commit waits for the disk. */
const DURABLE = ['shared_buffers=1GB', 'max_wal_size=8GB']

/** Starts PostgreSQL. `database` creates a database with so many orders and returns its URL; see `startFilledPostgres`. */
export async function startPostgresWithOrders(context: WorkloadContext) {
  const { database, copy } = await startFilledPostgres(context, DURABLE)
  const assets = await database(ASSETS)
  return {
    async database(count: number): Promise<string> {
      const url = await copy(assets, `orders_${count}`)
      await addPostgresOrders(url, count)
      return url
    },
    copy,
  }
}

async function addPostgresOrders(url: string, count: number): Promise<void> {
  await withoutIndexes(url, ['orders', 'order_lines'], async (sql) => {
    const [{ id: account } = { id: '' }] = await sql<{ id: string }[]>`
      select id from accounts where name = 'default'`
    function* orders() {
      for (let index = 0; index < count; index += 1) {
        yield toLine(Object.values(toOrderColumns(account, orderAt(account, index))))
        if (index % BATCH === 0) progress(`filling: ${index} of ${count} orders`)
      }
    }
    function* lines() {
      for (let index = 0; index < count; index += 1) {
        yield toLine([orderAt(account, index).id, 0, account, productOf(index), 1])
      }
    }
    const copyTo = async (table: string, rows: Iterable<string>) =>
      pipeline(Readable.from(rows), await sql.unsafe(`copy ${table} from stdin`).writable())
    await copyTo(`orders (${columnsOf(account)})`, orders())
    await copyTo('order_lines (order_id, line, account_id, product_id, quantity)', lines())
    await sql`update accounts set order_count = ${count}`
  })
}

/** A row as COPY reads it. No value has a character that would have to be escaped. */
function toLine(values: unknown[]): string {
  const texts = values.map((value) =>
    value === null ? '\\N' : value instanceof Date ? value.toISOString() : `${value}`,
  )
  return `${texts.join('\t')}\n`
}

/** A file that the order covers. Each of the 1,000 assets is attached to one of two variants of its product. */
export function assetOfOrder(index: number): string {
  return assetId(2 * (productOf(index) - POPULAR_PRODUCT))
}

function productOf(index: number): number {
  return index % POPULAR_EVERY === 0
    ? POPULAR_PRODUCT
    : POPULAR_PRODUCT + 1 + (index % (PRODUCTS - 1))
}

/** Known to the benchmark alone. */
export function tokenAt(index: number): string {
  return `bench-${index.toString().padStart(26, '0')}`
}

function orderAt(accountId: string, index: number): Order {
  const at = new Date(FIRST_AT + index * 1000)
  const time = at.getTime().toString(16).padStart(12, '0')
  const id = `${time.slice(0, 8)}-${time.slice(8)}-7000-9000-${index.toString(16).padStart(12, '0')}`
  return {
    id,
    accountId,
    source: 'api',
    reference: String(index),
    number: `#${index}`,
    email: `buyer-${index}@example.com`,
    name: `Buyer ${index}`,
    locale: null,
    label: null,
    lines: [
      { productId: productOf(index), variantId: null, quantity: 1, refunded: 0, product: null },
    ],
    downloads: 0,
    maxDownloads: 5,
    expiresAt: null,
    isHeld: false,
    isInline: false,
    revokedAt: null,
    emailSentAt: null,
    orderedAt: at,
    createdAt: at,
    updatedAt: at,
    status: 'active',
    more: null,
    // The page shows no token, so it need not be opened.
    sealedToken: `sealed:${index}`,
    tokenHash: hashOrderToken(tokenAt(index)),
  }
}
