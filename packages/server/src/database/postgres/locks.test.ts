import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { aPostgresServer } from '@stowage/testing/engines/postgres'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import postgres from 'postgres'
import { v7 as newUuid } from 'uuid'
import type { BulkChange } from '../../domain/bulk.ts'
import { EngineUnavailable } from '../../domain/errors.ts'
import type { AccountData } from '../account-data.ts'
import {
  addToken,
  addWebhook,
  aLink,
  anAccount,
  aProduct,
  aReadyAsset,
  claimAt,
  failureAt,
  inHours,
  KEEP,
  KEPT,
  NOON,
  queue,
  reserve,
  select,
  startReplacement,
} from '../contract/builders.ts'
import { addOrder } from '../contract/orders.ts'
import type { Database } from '../database.ts'
import { openPostgresDatabase } from './postgres-database.ts'

const server = await aPostgresServer()

/** Runs the work on a new database, and returns the number of deadlocks that PostgreSQL detected. */
async function deadlocksOf(
  t: TestContext,
  work: (database: Database) => Promise<unknown>,
): Promise<number> {
  const url = await server.database(t)
  // One account writes on a third of the connections.
  const options = { poolSize: 24, statementTimeoutMs: 30_000, tls: 'off' } as const
  const database = await openPostgresDatabase({ url, ...options })
  try {
    await work(database)
  } finally {
    // A connection reports its statistics when it is closed.
    await database.close()
  }
  const admin = postgres(url)
  cleanUp(t, () => admin.end())
  const [row] = await admin<{ deadlocks: string }[]>`
    select deadlocks from pg_stat_database where datname = current_database()`
  return Number(row?.deadlocks)
}

function products(count: number) {
  return Array.from({ length: count }, (_, index) =>
    aProduct({ productId: index, variantId: index }),
  )
}

function shuffled<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, position: Math.random() }))
    .sort((a, b) => a.position - b.position)
    .map(({ item }) => item)
}

function times(count: number, work: (index: number) => Promise<unknown>): Promise<unknown[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)))
}

test('imports of the same products in different orders do not deadlock', async (t) => {
  const deadlocks = await deadlocksOf(t, async (database) => {
    const { id } = await anAccount(database, 'default')
    const data = database.of(id)
    for (let round = 0; round < 2; round += 1) {
      await times(10, async () => {
        // More than one batch, because the order matters across batches, too.
        const sent = shuffled(products(150))
        const stored = await data.putProducts(sent)
        assert.deepEqual(
          stored.map(({ productId }) => productId),
          sent.map(({ productId }) => productId),
        )
      })
    }
  })
  assert.equal(deadlocks, 0)
})

/** Runs concurrent calls that lock a few products, these assets, or both. */
async function changeAttachments(data: AccountData, assets: string[]): Promise<void> {
  const stored = await data.putProducts(products(6))
  const selection = () => ({
    ids: [],
    productIds: shuffled(stored)
      .slice(3)
      .map(({ productId }) => productId),
    variantIds: [],
    skus: [],
  })
  await times(24, async (index) => {
    const asset = assets[index % assets.length] ?? ''
    if (index % 6 === 0) await data.deleteProduct(shuffled(stored)[0]?.id ?? '')
    if (index % 6 === 1) await data.putProducts(shuffled(products(6)))
    if (index % 6 === 2) await data.detachProducts(asset, selection())
    if (index % 6 > 2) await data.attachProducts(asset, selection())
  })
}

test('attaching, detaching and deleting products concurrently does not deadlock', async (t) => {
  const deadlocks = await deadlocksOf(t, async (database) => {
    const { id } = await anAccount(database, 'default')
    const data = database.of(id)
    const assets = [await aReadyAsset(data), await aReadyAsset(data), await aReadyAsset(data)]
    for (let round = 0; round < 8; round += 1) await changeAttachments(data, assets)
    await times(3, (index) => data.deleteAsset(assets[index] ?? ''))
  })
  assert.equal(deadlocks, 0)
})

test('concurrent jobs that expire uploads of many accounts do not deadlock', async (t) => {
  const deadlocks = await deadlocksOf(t, async (database) => {
    for (let account = 0; account < 12; account += 1) {
      const { id } = await anAccount(database, `account ${account}`, 10_000)
      await times(20, (index) => {
        const keptForMs = ((account * 7 + index * 5) % 240) - 240
        return reserve(database.of(id), { size: 1, keptForMs })
      })
    }
    await times(12, async () => {
      for (;;) {
        const overdue = await database.listOverdueUploads(5)
        if (overdue.length === 0) return
        await database.expireUploads(overdue.map(({ asset }) => asset.id))
      }
    })
  })
  assert.equal(deadlocks, 0)
})

/** Runs concurrent calls that lock an asset, its replacement, or both. */
async function changeVersions(
  database: Database,
  data: AccountData,
  assets: string[],
): Promise<void> {
  await times(32, async (index) => {
    const asset = assets[index % assets.length] ?? ''
    const sha256 = 'a'.repeat(64)
    const facts = { size: index % 5, ...(index % 2 === 0 && { sha256 }) }
    const { id, reservation } = await startReplacement(data, asset, facts)
    if (reservation.outcome !== 'reserved') {
      await data.restoreVersion(asset, index % 4)
      await data.deleteVersion(asset, (index + 1) % 4)
      return
    }
    if (index % 3 === 0) await data.cancelUpload(id)
    await data.beginCompletion(id, KEPT)
    await data.finishCompletion(id, { keepVersions: index % 3, withhold: true })
    // Also ends the withholding of versions that were replaced meanwhile.
    const dueAt = inHours(1)
    await database.recordVerification(id, { sha256, dueAt, keepVersions: index % 2 })
  })
}

test('replacing, restoring and deleting versions concurrently does not deadlock', async (t) => {
  const deadlocks = await deadlocksOf(t, async (database) => {
    const { id } = await anAccount(database, 'default', 10_000)
    const data = database.of(id)
    for (let round = 0; round < 5; round += 1) {
      const assets = [await aReadyAsset(data), await aReadyAsset(data)]
      await Promise.all([
        changeVersions(database, data, assets),
        ...assets.map((asset) => data.changeAsset(asset, { filename: `${round}.zip` })),
        data.listVersions(assets[0] ?? '').then(() => data.deleteAsset(assets[0] ?? '')),
      ])
    }
    const [usage] = await database.compareUsage()
    assert.deepEqual(usage?.counted, usage?.actual)
  })
  assert.equal(deadlocks, 0)
})

test('uploads of a token can start, end and be attached while products change, without deadlocks', async (t) => {
  const deadlocks = await deadlocksOf(t, async (database) => {
    const { id } = await anAccount(database, 'default', 10_000)
    const data = database.of(id)
    for (let round = 0; round < 5; round += 1) {
      const stored = await data.putProducts(products(6))
      const productIds = stored.map(({ productId }) => productId)
      const limits = { maxFiles: 20, attach: select({ productIds: shuffled(productIds) }) }
      const token = await addToken(data, limits)
      await times(32, async (index) => {
        const { upload, outcome } = await reserve(data, { size: 1, tokenId: token.id })
        if (index % 5 === 0) await data.deleteProduct(stored[index % 6]?.id ?? '')
        if (index % 5 === 1) await data.putProducts(shuffled(products(6)))
        if (outcome !== 'reserved') return
        if (index % 5 === 2) await data.cancelUpload(upload.asset.id)
        const { won } = await data.beginCompletion(upload.asset.id, KEPT)
        if (won) await data.finishCompletion(upload.asset.id, KEEP)
      })
    }
    const [usage] = await database.compareUsage()
    assert.deepEqual(usage?.counted, usage?.actual)
  })
  assert.equal(deadlocks, 0)
})

/** Runs concurrent calls that lock a webhook, its account, or both. */
async function changeWebhooks(database: Database, data: AccountData): Promise<void> {
  const webhooks = [await addWebhook(data), await addWebhook(data)]
  for (const { id } of webhooks) await queue(database, id, 4)
  const claimed = await claimAt(database, NOON)
  await times(24, async (index) => {
    const id = webhooks[index % 2]?.id ?? ''
    const attempt = claimed[index % claimed.length]
    if (index % 6 === 0)
      await data.changeWebhook(id, { isEnabled: true, description: `${index}` }, NOON)
    if (index % 6 === 1) await addWebhook(data)
    if (index % 6 === 2) await aLink(data)
    if (index % 6 > 2 && attempt)
      await database.recordAttempt(attempt, failureAt(NOON, { isGone: true }))
    if (index > 20) await data.deleteWebhook(id)
  })
}

test('webhooks can be added, changed, disabled and deleted while events are written, without deadlocks', async (t) => {
  const deadlocks = await deadlocksOf(t, async (database) => {
    const { id } = await anAccount(database, 'default')
    const data = database.of(id)
    for (let round = 0; round < 5; round += 1) await changeWebhooks(database, data)
  })
  assert.equal(deadlocks, 0)
})

/** Resolves when so many transactions wait for a lock, or `isOver` returns true. */
async function untilWaiting(
  admin: postgres.Sql,
  count: number,
  isOver: () => boolean = () => false,
): Promise<void> {
  for (let waiting = 0; waiting < count && !isOver(); ) {
    const [row] = await admin<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    waiting = row?.count ?? 0
  }
}

test('two uploads of a token that grow at the same time cannot exceed its limit together', async (t) => {
  const url = await server.database(t)
  const options = { poolSize: 24, statementTimeoutMs: 30_000, tls: 'off' } as const
  const database = await openPostgresDatabase({ url, ...options })
  cleanUp(t, () => database.close())
  const admin = postgres(url)
  cleanUp(t, () => admin.end())
  const data = database.of((await anAccount(database, 'default', 10_000)).id)
  const { id: tokenId } = await addToken(data, { maxBytes: 100, maxFiles: 2 })
  const { upload: one } = await reserve(data, { size: 20, tokenId })
  const { upload: two } = await reserve(data, { size: 20, tokenId })

  // The first has checked the limit, but cannot change its size yet.
  const growing = await admin.begin(async (transaction) => {
    await transaction`select from assets where id = ${one.asset.id} for no key update`
    const first = data.resizeUpload(one.asset.id, 60, { tokenId })
    await untilWaiting(admin, 1)
    let isOver = false
    const second = data.resizeUpload(two.asset.id, 60, { tokenId }).finally(() => {
      isOver = true
    })
    await untilWaiting(admin, 2, () => isOver)
    return { calls: [first, second] }
  })
  const outcomes = (await Promise.all(growing.calls)).map(({ outcome }) => outcome)
  assert.deepEqual(outcomes, ['resized', 'token_exceeded'])
})

test('two instances that move the same assets to the trash leave those that became ready meanwhile', async (t) => {
  const url = await server.database(t)
  const options = { poolSize: 24, statementTimeoutMs: 30_000, tls: 'off' } as const
  const database = await openPostgresDatabase({ url, ...options })
  cleanUp(t, () => database.close())
  const admin = postgres(url)
  cleanUp(t, () => admin.end())
  const data = database.of((await anAccount(database, 'default', 10_000)).id)
  const { upload } = await reserve(data)
  const link = await aLink(data)
  await data.beginTrashAll()
  await data.beginCompletion(upload.asset.id, KEPT)
  await data.finishCompletion(upload.asset.id, KEEP)

  // Both have read how far the deletion is before the first of them can continue.
  const moving = await admin.begin(async (transaction) => {
    await transaction`select from assets where id = ${link} for no key update`
    const calls = [data.continueTrashAll(), data.continueTrashAll()]
    await untilWaiting(admin, 2)
    return { calls }
  })
  await Promise.all(moving.calls)
  while ((await data.continueTrashAll()) > 0);
  assert.equal((await data.findAsset(link))?.status, 'deleted')
  assert.equal((await data.findAsset(upload.asset.id))?.status, 'ready')
  assert.deepEqual(await database.listTrashAll(), [])
})

test('moves of folders, changes of paths and new assets do not deadlock', async (t) => {
  const deadlocks = await deadlocksOf(t, async (database) => {
    const data = database.of((await anAccount(database, 'default', 10_000)).id)
    const ids: string[] = []
    for (let count = 0; count < 300; count += 1) ids.push(await aLink(data, { path: 'a' }))
    const move = { id: newUuid(), source: 'a/', destination: 'b/', createdAt: NOON }
    assert.equal((await data.beginFolderMove(move, { merge: false })).outcome, 'begun')
    const finish = async () => {
      while ((await data.continueFolderMove(move.id))?.isDone === false);
    }
    const reversed = ids.toReversed()
    await Promise.all([
      finish(),
      finish(),
      ...Array.from({ length: 5 }, () => data.moveAssets(reversed.slice(0, 100), 'a')),
      ...ids.slice(0, 40).map((id) => data.changeAsset(id, { path: 'a/x' })),
      ...Array.from({ length: 20 }, () => aLink(data, { path: 'a' })),
      data.trashAssets(ids.slice(100, 190)),
    ])
    assert.deepEqual(await database.listUnfinishedFolderMoves(), [])
  })
  assert.equal(deadlocks, 0)
})

test('bulk jobs that treat their assets differently, and changes of these assets, do not deadlock', async (t) => {
  const deadlocks = await deadlocksOf(t, async (database) => {
    const data = database.of((await anAccount(database, 'default', 10_000)).id)
    const ids: string[] = []
    for (let count = 0; count < 60; count += 1)
      ids.push(await aLink(data, { path: `${count % 7}` }))
    for (const [index, id] of ids.entries()) await data.tagAssets([id], [`own ${index % 7}`])
    const products = (await data.putProducts([aProduct(), aProduct({ variantId: 12 })])).map(
      (product) => product.id,
    )
    for (const [index, id] of ids.entries()) {
      await data.attachAssets([id], select({ ids: products.slice(index % 2, 1 + (index % 2)) }))
    }
    const finish = async (id: string) => {
      while ((await data.continueBulkJob(id))?.job.status === 'running');
    }
    const begin = async (change: BulkChange) => {
      const job = { id: newUuid(), change, createdAt: NOON }
      const begun = await data.addBulkJob(job, shuffled(ids))
      assert.equal(begun.outcome, 'begun')
      return job.id
    }
    const tags = Array.from({ length: 7 }, (_, index) => `own ${index}`)
    const jobs: string[] = []
    // Undoing these returns assets to different folders, tags and products.
    for (const change of [
      { action: 'move', path: 'new' },
      { action: 'untag', tags },
      { action: 'attach', products },
    ] satisfies BulkChange[]) {
      const id = await begin(change)
      await finish(id)
      jobs.push(id)
    }
    await Promise.all([
      ...jobs.map(async (id) => {
        const undo = await data.undoBulkJob(id, { id: newUuid(), createdAt: NOON })
        if (undo.outcome === 'begun') await finish(undo.job.id)
      }),
      ...[{ action: 'tag', tags: ['a'] }, { action: 'delete' }, { action: 'restore' }].map(
        async (change) => finish(await begin(change as BulkChange)),
      ),
      ...Array.from({ length: 6 }, () => data.moveAssets(shuffled(ids).slice(0, 30), 'x')),
      ...Array.from({ length: 6 }, () => data.tagAssets(shuffled(ids).slice(0, 30), ['b'])),
      ...Array.from({ length: 4 }, () =>
        data.attachAssets(shuffled(ids).slice(0, 30), select({ ids: products })),
      ),
    ])
  })
  assert.equal(deadlocks, 0)
})

test('products that get the IDs of the shop while others attach, sort and count their files do not deadlock', async (t) => {
  const deadlocks = await deadlocksOf(t, async (database) => {
    const data = database.of((await anAccount(database, 'default', 10_000)).id)
    const assets: string[] = []
    for (let count = 0; count < 6; count += 1) assets.push(await aReadyAsset(data))
    for (let round = 0; round < 6; round += 1) {
      const skus = Array.from({ length: 8 }, (_, index) => `${round}-${index}`)
      const unidentified = skus.map((sku, index) => {
        const { productId, variantId, ...product } = aProduct({ sku, variantName: sku })
        return { ...product, handle: `${round}-${index % 4}` }
      })
      const stored = await data.putProducts(unidentified)
      const provisional = [...new Set(stored.map(({ productId }) => productId))]
      await data.attachAssets(assets, select({ skus }))
      const lines = provisional.map((productId) => ({ productId, variantId: null, quantity: 1 }))
      const { id: orderId } = await addOrder(data, { lines })
      const identified = skus.map((sku, index) =>
        // Their new IDs are in the opposite order.
        aProduct({
          sku,
          productId: round * 100 + 50 - (index % 4),
          variantId: round * 100 + index,
        }),
      )
      await times(30, async (index) => {
        const kind = index % 5
        const product = provisional[index % 4] ?? 0
        if (kind === 0) await data.putProducts(shuffled(identified).slice(0, 5))
        if (kind === 1) await data.attachAssets(shuffled(assets), select({ skus: shuffled(skus) }))
        if (kind === 2) await data.arrangeFiles(product, shuffled(assets))
        if (kind === 3) {
          const assetId = assets[index % 6] ?? ''
          await data.openDownload({ id: newUuid(), orderId, assetId, addressHash: 'buyer' })
        }
        if (kind === 4) await data.detachAssets(shuffled(assets), select({ skus: skus.slice(4) }))
      })
    }
  })
  assert.equal(deadlocks, 0)
})

/** Makes the next inserts of products fail with this code, and counts the attempts. */
async function withCollisions(t: TestContext, count: number, code: string) {
  const url = await server.database(t)
  const options = { poolSize: 2, statementTimeoutMs: 10_000, tls: 'off' } as const
  const database = await openPostgresDatabase({ url, ...options })
  cleanUp(t, () => database.close())
  const admin = postgres(url, { onnotice: () => {} })
  cleanUp(t, () => admin.end())
  // A rollback does not reset a sequence.
  await admin.unsafe(`
    create sequence attempts;
    create function collide() returns trigger language plpgsql as $$
    begin
      if nextval('attempts') <= ${count} then
        raise exception 'collision' using errcode = '${code}';
      end if;
      return new;
    end $$;
    create trigger collide before insert on products for each row execute function collide();`)
  const { id } = await anAccount(database, 'default')
  return {
    data: database.of(id),
    async attempts() {
      const [row] = await admin<{ last_value: string }[]>`select last_value from attempts`
      return Number(row?.last_value)
    },
  }
}

for (const code of ['40P01', '40001']) {
  test(`a unit of work that fails with ${code} is retried until it succeeds`, async (t) => {
    const { data, attempts } = await withCollisions(t, 7, code)
    const [product] = await data.putProducts([aProduct()])
    assert.equal(product?.productId, 1)
    assert.equal(await attempts(), 8)
  })
}

test('a unit of work that always collides fails after a limited number of attempts', async (t) => {
  const { data, attempts } = await withCollisions(t, 1_000_000, '40P01')
  await assert.rejects(data.putProducts([aProduct()]), EngineUnavailable)
  assert.equal(await attempts(), 10)
})
