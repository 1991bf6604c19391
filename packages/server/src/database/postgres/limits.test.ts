import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPostgresServer } from '@stowage/testing/engines/postgres'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import postgres from 'postgres'
import { aLink, anAccount, aProduct, aReadyAsset, inHours } from '../contract/builders.ts'
import { openPostgresDatabase } from './postgres-database.ts'

const server = await aPostgresServer()

test('a claim or a deletion does not exceed its limit, even if PostgreSQL joins with nested loops', async (t) => {
  const url = await server.database(t)
  const admin = postgres(url, { max: 1 })
  cleanUp(t, () => admin.end())
  const [row] = await admin`select current_database() as name`
  // A nested loop could run the query of the due rows once for each row.
  for (const plan of ['hashjoin', 'mergejoin', 'material', 'hashagg', 'sort', 'memoize']) {
    await admin.unsafe(`alter database ${row?.name} set enable_${plan} = off`)
  }
  const options = { poolSize: 2, statementTimeoutMs: 10_000, tls: 'off' } as const
  const database = await openPostgresDatabase({ url, ...options })
  cleanUp(t, () => database.close())
  const data = database.of((await anAccount(database, 'limits')).id)
  for (let index = 0; index < 4; index += 1) {
    await data.deleteAsset(await aReadyAsset(data))
    await aReadyAsset(data)
    await aReadyAsset(data, { sha256: 'a'.repeat(64) })
  }
  const times = { now: inHours(1), latest: inHours(999), claimedUntil: inHours(2) }
  assert.equal((await database.claimVerifications('new', times, 1)).length, 1)
  await database.claimWithheld(times, { after: undefined, minBytes: 0, maxBytes: 10 })
  const rest = await admin`select from checksums where withheld_for is not null and due_at < now()`
  assert.equal(rest.length, 3)
  assert.equal((await database.claimDueRemovals(inHours(1), 1)).length, 1)
  assert.equal(await database.forgetEndedAssets(inHours(1), 1), 1)
})

test('assets that were just deleted are restored at once, although PostgreSQL knows nothing of the trash', async (t) => {
  const url = await server.database(t)
  const admin = postgres(url, { max: 1 })
  cleanUp(t, () => admin.end())
  const [row] = await admin`select current_database() as name`
  // What PostgreSQL chooses with many more rows in the trash.
  for (const plan of ['hashjoin', 'mergejoin', 'hashagg', 'sort']) {
    await admin.unsafe(`alter database ${row?.name} set enable_${plan} = off`)
  }
  const options = { poolSize: 2, statementTimeoutMs: 10_000, tls: 'off' } as const
  const database = await openPostgresDatabase({ url, ...options })
  cleanUp(t, () => database.close())
  const { id: account } = await anAccount(database, 'restored')
  const data = database.of(account)
  const numbers = Array.from({ length: 1000 }, (_, index) => index + 1)
  for (let thousand = 0; thousand < 5; thousand += 1) {
    const ids = numbers.map((number) => thousand * 1000 + number)
    await data.putProducts(
      ids.map((id) => aProduct({ productId: id, variantId: id, sku: `${id}` })),
    )
  }
  const ids = await Promise.all(numbers.map(() => aLink(data)))
  await admin`
    insert into asset_products (asset_id, product_id)
    select a.id, p.id from unnest(${ids}::uuid[]) with ordinality a (id, number)
    join products p on p.product_id = a.number`
  await admin`vacuum analyze`
  // Only autovacuum reads the new rows, a minute later.
  await data.trashAssets(ids)
  const { outcome } = await data.restoreAssets(ids)
  assert.equal(outcome, 'restored')
  assert.equal((await admin`select from asset_products`).length, ids.length)
  // A connection that ends reports what it has read. PostgreSQL 14 counts it soon after that.
  await database.close()
  await until('the reads are counted', async () => {
    const others = await admin`
      select from pg_stat_activity where datname = current_database()
        and backend_type = 'client backend' and pid <> pg_backend_pid()`
    const { scans, lookups } = await readsOfTrash()
    return others.length === 0 && scans + lookups > 0
  })
  const { lookups } = await readsOfTrash()
  assert.ok(lookups <= ids.length, `${lookups} lookups`)

  async function readsOfTrash() {
    const [reads] = await admin<[{ scans: number; lookups: number }]>`
      select seq_scan::int as scans, idx_scan::int as lookups
      from pg_stat_user_tables where relname = 'trashed_attachments'`
    return reads
  }
})
