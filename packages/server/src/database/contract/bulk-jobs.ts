import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_ASSET_TAGS } from '@stowage/protocol'
import { v7 as newUuid } from 'uuid'
import type { BulkAction, BulkChange, BulkJob } from '../../domain/bulk.ts'
import type { AccountData } from '../account-data.ts'
import { BULK_BATCH, KEPT_BULK_JOBS, MAX_RUNNING_BULK_JOBS } from '../bulk-data.ts'
import {
  aLink,
  anAccount,
  aProduct,
  aReadyAsset,
  type Contract,
  NEWEST,
  NOON,
  select,
} from './builders.ts'

const PAGE = { page: 1, perPage: 1000, sort: NEWEST }

/** The contract for changes of many assets in the background. */
export function testBulkJobs({ name, open }: Contract): void {
  test(name('a job changes all of its assets in batches, and leaves the others'), async (t) => {
    const { database, account, data } = await open(t)
    const ids: string[] = []
    for (let count = 0; count < BULK_BATCH + 20; count += 1) ids.push(await aLink(data))
    const by = { type: 'key', id: newUuid(), name: 'Shop' } as const
    const call = newUuid()
    const job = await begin(database.of(account.id, by, call), { action: 'delete' }, ids)
    const other = await aLink(data)
    assert.deepEqual([job.status, job.total, job.done], ['running', ids.length, 0])
    assert.deepEqual(await database.listRunningBulkJobs(), [{ account: account.id, id: job.id }])
    const { lastId } = await data.listEvents({ after: 0, limit: 1 })
    const first = await data.continueBulkJob(job.id)
    assert.ok(first && first.job.done > 0 && first.job.done <= BULK_BATCH)
    assert.equal((await data.listTrash({ page: 1, perPage: 1 })).total, first.job.done)
    const done = await finish(data, job.id)
    assert.deepEqual([done.status, done.changed, done.done], ['finished', ids.length, ids.length])
    assert.deepEqual(await remaining(data), [other])
    assert.deepEqual(await database.listRunningBulkJobs(), [])
    assert.deepEqual(await data.findBulkJob(job.id), done)
    // Another call on an ended job changes nothing.
    assert.deepEqual((await data.continueBulkJob(job.id))?.job, done)
    const { events } = await data.listEvents({ after: lastId, limit: 1000 })
    assert.equal(events.length, ids.length)
    assert.ok(events.every((event) => event.call === call && event.actor.name === 'Shop'))
  })

  test(
    name('assets that are gone or changed already are skipped, and undoing restores the rest'),
    async (t) => {
      const { data } = await open(t)
      const [kept = '', trashed = '', removed = ''] = [
        await aReadyAsset(data),
        await aLink(data),
        await aLink(data),
      ]
      const job = await begin(data, { action: 'delete' }, [kept, trashed, removed, newUuid()])
      await data.trashAssets([trashed])
      await data.deleteAssets([removed])
      const done = await finish(data, job.id)
      assert.deepEqual([done.total, done.done, done.changed], [4, 4, 1])
      assert.deepEqual(await remaining(data), [])
      const undone = await undo(data, job.id)
      assert.deepEqual(
        [undone.change.action, undone.changed, undone.undoes],
        ['restore', 1, job.id],
      )
      assert.deepEqual(await remaining(data), [kept])
      assert.equal((await data.findBulkJob(job.id))?.undoneBy, undone.id)
      // Repeating the call returns the same job, and the undoing can be undone, too.
      const again = await data.undoBulkJob(job.id, { id: newUuid(), createdAt: NOON })
      assert.ok(again.outcome === 'begun' && again.job.id === undone.id)
      await undo(data, undone.id)
      assert.deepEqual(await remaining(data), [])
    },
  )

  test(
    name('a change of the trash leaves restored assets, and a restoration those deleted since'),
    async (t) => {
      const { data } = await open(t)
      const [trashed = '', restored = ''] = [await aReadyAsset(data), await aReadyAsset(data)]
      const ids = [trashed, restored]
      const ofTrash: BulkChange[] = [
        { action: 'delete', isFromTrash: true },
        { action: 'tag', tags: ['a'], isFromTrash: true },
        { action: 'move', path: 'a', isFromTrash: true },
        { action: 'delete', isPermanent: true, isFromTrash: true },
      ]
      await data.trashAssets(ids)
      const jobs: BulkJob[] = []
      for (const change of ofTrash) jobs.push(await begin(data, change, ids))
      await data.restoreAssets([restored])
      const changed: number[] = []
      for (const { id } of jobs) changed.push((await finish(data, id)).changed)
      assert.deepEqual(changed, [0, 0, 0, 1])
      assert.deepEqual(await remaining(data), [restored])
      const { tags, path } = (await data.findAsset(restored)) ?? {}
      assert.deepEqual([tags, path], [[], null])
      assert.equal((await data.listTrash({ page: 1, perPage: 1 })).total, 0)

      const ofReady = await begin(data, { action: 'restore', isFromTrash: false }, [restored])
      await data.trashAssets([restored])
      assert.equal((await finish(data, ofReady.id)).changed, 0)
      // Undoing a restoration of the trash is a change of ready assets.
      const back = await run(data, { action: 'restore', isFromTrash: true }, [restored])
      assert.equal((await undo(data, back.id)).changed, 1)
      assert.deepEqual(await remaining(data), [])
    },
  )

  test(
    name('products are attached and detached, and undoing changes only what the job has changed'),
    async (t) => {
      const { data } = await open(t)
      const [one, two] = await data.putProducts([aProduct(), aProduct({ variantId: 12 })])
      const products = [one?.id ?? '', two?.id ?? '']
      const [first = '', second = ''] = [await aLink(data), await aLink(data)]
      await data.attachAssets([first], select({ ids: products.slice(0, 1) }))
      const attached = await run(data, { action: 'attach', products }, [first, second])
      assert.equal(attached.changed, 2)
      assert.deepEqual(await attachedTo(data, first), products)
      const undone = await undo(data, attached.id)
      assert.equal(undone.changed, 2)
      assert.deepEqual(await attachedTo(data, first), products.slice(0, 1))
      assert.deepEqual(await attachedTo(data, second), [])
      const detached = await run(data, { action: 'detach', products }, [first, second])
      assert.equal(detached.changed, 1)
      await data.deleteProduct(products[1] ?? '')
      await undo(data, detached.id)
      assert.deepEqual(await attachedTo(data, first), products.slice(0, 1))
      // A product that was deleted since is left out.
      assert.equal((await run(data, { action: 'attach', products }, [second])).changed, 1)
      assert.deepEqual(await attachedTo(data, second), products.slice(0, 1))
      assert.equal(
        (await run(data, { action: 'attach', products: products.slice(1) }, [second])).changed,
        0,
      )
      assert.equal((await data.findBulkJob(detached.id))?.changed, 1)
    },
  )

  test(
    name('tags are added and removed, and undoing changes only what the job has changed'),
    async (t) => {
      const { data } = await open(t)
      const [first = '', second = '', full = ''] = [
        await aLink(data),
        await aLink(data),
        await aLink(data),
      ]
      await data.tagAssets([first], ['Old', 'both'])
      await data.tagAssets(
        [full],
        Array.from({ length: MAX_ASSET_TAGS }, (_, index) => `tag ${index}`),
      )
      const tagged = await run(data, { action: 'tag', tags: ['Both', 'new'] }, [
        first,
        second,
        full,
      ])
      assert.deepEqual([tagged.done, tagged.changed], [3, 2])
      const tags = async (id: string) => (await data.findAsset(id))?.tags
      assert.deepEqual(
        [await tags(first), await tags(second)],
        [
          ['both', 'new', 'Old'],
          ['Both', 'new'],
        ],
      )
      await undo(data, tagged.id)
      assert.deepEqual([await tags(first), await tags(second)], [['both', 'Old'], []])
      const untagged = await run(data, { action: 'untag', tags: ['OLD', 'x'] }, [first, second])
      assert.deepEqual([untagged.changed, await tags(first)], [1, ['both']])
      await undo(data, untagged.id)
      assert.deepEqual(await tags(first), ['both', 'Old'])
    },
  )

  test(
    name(
      'assets are moved, and undoing returns them to their folders unless others moved them since',
    ),
    async (t) => {
      const { data } = await open(t)
      const [a = '', b = '', root = '', there = ''] = [
        await aLink(data, { path: 'a' }),
        await aLink(data, { path: 'b/c' }),
        await aLink(data),
        await aLink(data, { path: 'new' }),
      ]
      const moved = await run(data, { action: 'move', path: 'new' }, [a, b, root, there])
      assert.equal(moved.changed, 3)
      await data.moveAssets([b], 'elsewhere')
      const undone = await undo(data, moved.id)
      assert.deepEqual([undone.total, undone.changed], [3, 2])
      const paths = await Promise.all(
        [a, b, root, there].map(async (id) => (await data.findAsset(id))?.path),
      )
      assert.deepEqual(paths, ['a', 'elsewhere', null, 'new'])
      // The undoing can be undone.
      await undo(data, undone.id)
      assert.equal((await data.findAsset(a))?.path, 'new')
    },
  )

  test(name('instances that continue the same job together change each asset once'), async (t) => {
    const { data } = await open(t)
    const ids: string[] = []
    for (let count = 0; count < BULK_BATCH * 2 + 10; count += 1) ids.push(await aLink(data))
    const job = await begin(data, { action: 'tag', tags: ['a'] }, ids)
    await Promise.all([finish(data, job.id), finish(data, job.id), finish(data, job.id)])
    const done = await data.findBulkJob(job.id)
    assert.deepEqual(
      [done?.status, done?.done, done?.changed],
      ['finished', ids.length, ids.length],
    )
    const { events } = await data.listEvents({ after: 0, limit: 1000 })
    assert.equal(events.filter(({ type }) => type === 'asset.updated').length, ids.length)
    assert.equal(await data.continueBulkJob(newUuid()), undefined)
  })

  test(name('concurrent jobs and changes of the same assets all end'), async (t) => {
    const { data } = await open(t)
    const products = (await data.putProducts([aProduct(), aProduct({ variantId: 12 })])).map(
      ({ id }) => id,
    )
    const ids: string[] = []
    for (let count = 0; count < 60; count += 1) ids.push(await aLink(data))
    const changes: BulkChange[] = [
      { action: 'attach', products },
      { action: 'detach', products: products.toReversed() },
      { action: 'tag', tags: ['a'] },
      { action: 'move', path: 'x' },
      { action: 'delete' },
      { action: 'restore' },
    ]
    await Promise.all([
      ...changes.map((change, index) =>
        run(data, change, index % 2 === 0 ? ids : ids.toReversed()),
      ),
      ...ids.slice(0, 20).map((id) => data.trashAssets([id])),
      ...ids.slice(10, 30).map((id) => data.attachProducts(id, select({ ids: products }))),
    ])
    const jobs = await data.listBulkJobs()
    assert.ok(jobs.every(({ status, done }) => status === 'finished' && done === ids.length))
    for (const job of jobs) if (job.changed > 0) await undo(data, job.id)
  })

  test(
    name('a cancelled job changes nothing more, and what it has changed can be undone'),
    async (t) => {
      const { data } = await open(t)
      const ids: string[] = []
      for (let count = 0; count < BULK_BATCH + 50; count += 1) ids.push(await aLink(data))
      const job = await begin(data, { action: 'delete' }, ids)
      const running = await data.undoBulkJob(job.id, { id: newUuid(), createdAt: NOON })
      assert.equal(running.outcome, 'refused')
      const changed = (await data.continueBulkJob(job.id))?.job.changed ?? 0
      const cancelled = await data.cancelBulkJob(job.id)
      assert.deepEqual([cancelled?.status, cancelled?.changed], ['cancelled', changed])
      assert.deepEqual((await data.continueBulkJob(job.id))?.job, cancelled)
      assert.deepEqual(await data.cancelBulkJob(job.id), cancelled)
      assert.equal((await remaining(data)).length, ids.length - changed)
      await undo(data, job.id)
      assert.equal((await remaining(data)).length, ids.length)
      assert.equal(await data.cancelBulkJob(newUuid()), undefined)
      const unknown = await data.undoBulkJob(newUuid(), { id: newUuid(), createdAt: NOON })
      assert.equal(unknown.outcome, 'job_not_found')
    },
  )

  test(
    name('a restoration that the plan has no room for fails, and leaves the others in the trash'),
    async (t) => {
      const { database, account, data } = await open(t, { planStorage: 100 })
      const large = await aReadyAsset(data, { size: 60 })
      await data.trashAssets([large])
      // The plan has room for it when the job begins, and not when the job continues.
      const job = await begin(data, { action: 'restore' }, [large])
      await database.changePlan(account.id, { name: 'small', storage: 50 })
      const failed = await finish(data, job.id)
      assert.deepEqual(
        [failed.status, failed.failure, failed.done, failed.changed],
        ['failed', 'storage_exceeded', 1, 0],
      )
      assert.equal((await data.listTrash({ page: 1, perPage: 1 })).total, 1)
    },
  )

  test(name('a restoration that exceeds the number of assets fails'), async (t) => {
    const { database, account, data } = await open(t)
    const id = await aReadyAsset(data, { size: 1 })
    await data.trashAssets([id])
    const job = await begin(data, { action: 'restore' }, [id])
    await database.changePlan(account.id, { name: 'none', storage: 100, assets: 0 })
    const { status, failure } = await finish(data, job.id)
    assert.deepEqual([status, failure], ['failed', 'assets_exceeded'])
  })

  test(
    name('a permanent deletion, and a job that changed nothing, cannot be undone'),
    async (t) => {
      const { data } = await open(t)
      const ids = [await aReadyAsset(data), await aLink(data)]
      const nothing = await run(data, { action: 'restore' }, ids)
      const removed = await run(data, { action: 'delete', isPermanent: true }, ids)
      assert.deepEqual([nothing.changed, removed.changed], [0, 2])
      assert.equal((await data.listTrash({ page: 1, perPage: 1 })).total, 0)
      for (const { id } of [nothing, removed]) {
        const result = await data.undoBulkJob(id, { id: newUuid(), createdAt: NOON })
        assert.equal(result.outcome, 'refused')
      }
      const empty = await begin(data, { action: 'delete' }, [])
      assert.deepEqual([empty.status, empty.total], ['finished', 0])
    },
  )

  test(
    name('the number of running jobs is limited, and only the last ended ones are kept'),
    async (t) => {
      const { database, data } = await open(t)
      const other = database.of((await anAccount(database, 'other')).id)
      const id = await aLink(data)
      const actions: BulkAction[] = ['delete', 'restore']
      const ended: string[] = []
      for (let count = 0; count < KEPT_BULK_JOBS + 3; count += 1) {
        ended.push((await run(data, { action: actions[count % 2] ?? 'delete' }, [id])).id)
      }
      const theirs = await run(other, { action: 'delete' }, [await aLink(other)])
      while ((await database.forgetBulkJobs(2)) > 0);
      const kept = (await data.listBulkJobs()).map((job) => job.id)
      assert.deepEqual(kept, ended.slice(-KEPT_BULK_JOBS).reverse())
      assert.deepEqual(
        (await other.listBulkJobs()).map((job) => job.id),
        [theirs.id],
      )
      assert.equal(await other.findBulkJob(kept[0] ?? ''), undefined)
      assert.equal(await other.cancelBulkJob(kept[0] ?? ''), undefined)
      for (let count = 0; count < MAX_RUNNING_BULK_JOBS; count += 1) {
        await begin(data, { action: 'delete' }, [id])
      }
      const one = { id: newUuid(), change: { action: 'delete' } as const, createdAt: NOON }
      assert.equal((await data.addBulkJob(one, [id])).outcome, 'too_many_jobs')
      assert.equal((await other.addBulkJob({ ...one, id: newUuid() }, [])).outcome, 'begun')
    },
  )

  test(name('concurrent calls do not exceed the number of running jobs'), async (t) => {
    const { data } = await open(t)
    const ids = [await aLink(data)]
    const outcomes = await Promise.all(
      Array.from({ length: MAX_RUNNING_BULK_JOBS + 10 }, async () => {
        const job = { id: newUuid(), change: { action: 'delete' } as const, createdAt: NOON }
        return (await data.addBulkJob(job, ids)).outcome
      }),
    )
    const begun = outcomes.filter((outcome) => outcome === 'begun')
    assert.equal(begun.length, MAX_RUNNING_BULK_JOBS)
  })

  test(name('whether a job can be undone is decided by the given time'), async (t) => {
    const { data } = await open(t)
    const job = await run(data, { action: 'delete' }, [await aLink(data)])
    const keptUntil = Number((await data.findBulkJob(job.id))?.keptUntil)
    const late = { id: newUuid(), createdAt: new Date(keptUntil) }
    assert.equal((await data.undoBulkJob(job.id, late)).outcome, 'refused')
    const inTime = { id: newUuid(), createdAt: new Date(keptUntil - 600_000) }
    assert.equal((await data.undoBulkJob(job.id, inTime)).outcome, 'begun')
  })

  test(name('jobs are exported and imported with their batches'), async (t) => {
    const { database, data } = await open(t)
    const target = database.of((await anAccount(database, 'other')).id)
    const ids: string[] = []
    for (let count = 0; count < BULK_BATCH + 5; count += 1) ids.push(await aLink(data))
    const job = await begin(data, { action: 'delete' }, ids)
    await data.continueBulkJob(job.id)
    const [record] = await data.listBulkJobRecords()
    assert.ok(record)
    const copied = newUuid()
    for (let runs = 0; runs < 2; runs += 1) {
      await target.importBulkJob({ ...record, job: { ...record.job, id: copied } })
      for (let from = 0; ; from += 2) {
        const batches = await data.listBulkBatches(job.id, from, 2)
        await target.importBulkBatches(copied, batches)
        if (batches.length < 2) break
      }
    }
    const before = await data.findBulkJob(job.id)
    assert.deepEqual(await target.findBulkJob(copied), before && { ...before, id: copied })
    assert.deepEqual(
      await target.listBulkBatches(copied, 0, 100),
      await data.listBulkBatches(job.id, 0, 100),
    )
    // The assets of the other account are unknown to it.
    const done = await finish(target, copied)
    assert.deepEqual([done.done, done.changed], [ids.length, before?.changed])
    assert.equal((await remaining(data)).length, ids.length - (before?.changed ?? 0))
    assert.deepEqual(await target.listBulkBatches(job.id, 0, 1), [])
  })

  test(name('a job that lacks batches is found, and cancelled by a repair'), async (t) => {
    const { database, account, data } = await open(t)
    const ids: string[] = []
    for (let count = 0; count < BULK_BATCH + 5; count += 1) ids.push(await aLink(data))
    const running = await begin(data, { action: 'delete' }, ids)
    const first = await data.continueBulkJob(running.id)
    await data.cancelBulkJob(running.id)
    assert.deepEqual(await database.compareBulkJobs(10), [])
    const [record] = await data.listBulkJobRecords()
    const [batch] = await data.listBulkBatches(running.id, 0, 1)
    assert.ok(record && batch && first)
    const { done, changed } = first.job
    const id = newUuid()
    const job = { ...record.job, id, status: 'running', changed: 1, keptUntil: null } as const
    await data.importBulkJob({ ...record, job })
    await data.importBulkBatches(id, [batch])
    assert.deepEqual(await database.compareBulkJobs(10), [
      {
        accountId: account.id,
        id,
        batches: { stored: 1, expected: record.batches },
        done: { counted: done, actual: done },
        changed: { counted: 1, actual: changed },
      },
    ])
    await database.repairBulkJob(id)
    assert.deepEqual(await database.compareBulkJobs(10), [])
    const repaired = await data.findBulkJob(id)
    assert.deepEqual([repaired?.status, repaired?.changed], ['cancelled', changed])
    assert.ok(repaired?.finishedAt && repaired.keptUntil)
  })

  test(name('the selected products are found, at most one more than the limit'), async (t) => {
    const { data } = await open(t)
    const variants = [1, 2, 3, 4].map((variantId) => aProduct({ variantId }))
    const ids = (await data.putProducts(variants)).map(({ id }) => id)
    const found = await data.selectProducts(select({ productIds: [1] }), 10)
    assert.deepEqual([found.ids.toSorted(), found.isComplete], [ids.toSorted(), true])
    assert.equal((await data.selectProducts(select({ productIds: [1] }), 2)).ids.length, 3)
    const unknown = await data.selectProducts(select({ variantIds: [1, 9] }), 10)
    assert.deepEqual([unknown.isComplete, unknown.unknown.variantIds], [false, [9]])
  })
}

async function begin(data: AccountData, change: BulkChange, ids: string[]): Promise<BulkJob> {
  const result = await data.addBulkJob({ id: newUuid(), change, createdAt: NOON }, ids)
  assert.ok(result.outcome === 'begun', result.outcome)
  return result.job
}

async function finish(data: AccountData, id: string): Promise<BulkJob> {
  for (;;) {
    const progress = await data.continueBulkJob(id)
    assert.ok(progress)
    if (progress.job.status !== 'running') return progress.job
  }
}

async function run(data: AccountData, change: BulkChange, ids: string[]): Promise<BulkJob> {
  return finish(data, (await begin(data, change, ids)).id)
}

async function undo(data: AccountData, id: string): Promise<BulkJob> {
  const result = await data.undoBulkJob(id, { id: newUuid(), createdAt: NOON })
  assert.ok(result.outcome === 'begun', result.outcome)
  return finish(data, result.job.id)
}

async function remaining(data: AccountData): Promise<string[]> {
  return (await data.listAssets(PAGE)).rows.map(({ id }) => id)
}

async function attachedTo(data: AccountData, id: string): Promise<string[]> {
  const slice = await data.productsOfAsset(id, { after: undefined, limit: 10 })
  return slice.products.map((product) => product.id).sort()
}
