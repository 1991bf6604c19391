import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { v7 as newUuid } from 'uuid'
import { type EventActor, jobActor } from '../../domain/event.ts'
import { endedCredential, isEndedCredential } from '../../domain/key.ts'
import type { ProductSelection } from '../../domain/product.ts'
import type { AccountData } from '../account-data.ts'
import type { Database } from '../database.ts'
import type { EventQuery } from '../event-data.ts'
import { addKey } from './accounts.ts'
import {
  addWebhook,
  aLink,
  anAttempt,
  aProduct,
  aReadyAsset,
  type Contract,
  claimAt,
  inHours,
  NOON,
  queue,
  replace,
  SUCCESS,
} from './builders.ts'
import { readEvents } from './check-events.ts'
import { ASSET_EVENT_CASES, UPLOAD_EVENT_CASES } from './event-cases.ts'

const NONE: ProductSelection = { ids: [], productIds: [], variantIds: [], skus: [] }
const FIRST: ProductSelection = { ...NONE, productIds: [1] }
/** The types of the events that the work has recorded. */
async function recordedBy(data: AccountData, work: () => Promise<unknown>): Promise<string[]> {
  const { lastId } = await data.listEvents({ after: 0, limit: 1 })
  await work()
  const { events } = await data.listEvents({ after: lastId, limit: 1000 })
  return events.map(({ type }) => type)
}

/** The contract for the events of changes. */
export function testEvents({ name, open }: Contract): void {
  for (const { sentence, prepare, recorded } of [...UPLOAD_EVENT_CASES, ...ASSET_EVENT_CASES]) {
    test(name(`events of ${sentence}: ${recorded.join(', ') || 'none'}`), async (t) => {
      const opened = await open(t)
      const work = await prepare(opened)
      const woken = listenToEvents(t, opened.database)
      assert.deepEqual(await recordedBy(opened.data, work), recorded)
      await nextTurn()
      const isWoken = woken.includes(opened.account.id) || woken.includes(undefined)
      assert.ok(isWoken || recorded.length === 0, 'readers of events are woken up')
    })
  }

  test(name('an event has the actor and the resource after the change'), async (t) => {
    const { database, account } = await open(t)
    const actor: EventActor = { type: 'key', id: newUuid(), name: 'shop backend' }
    const data = database.of(account.id, actor)
    const id = await aReadyAsset(data, { filename: 'b.zip', size: 7, path: 'x/y' })
    const [product] = await data.putProducts([aProduct()])
    await data.attachProducts(id, FIRST)
    await database.of(account.id, jobActor('test')).trashAssets([id])
    const asset = await data.findAsset(id)
    const [started, ready, updated, attached, deleted] = await readEvents(data)
    assert.equal(started?.type, 'upload.started')
    assert.deepEqual(
      [started.data.id, started.data.bytes, started.data.path, started.data.isReplacement],
      [id, 7, 'x/y', false],
    )
    assert.ok(started.data.expiresAt.getTime() > Date.now())
    assert.deepEqual(started.actor, actor)
    assert.equal(ready?.type, 'asset.ready')
    assert.deepEqual(ready.data, { ...asset, status: 'ready', trashedAt: null })
    assert.deepEqual(updated?.data, product)
    assert.equal(attached?.type, 'asset.attached')
    assert.deepEqual(attached.data.products, [{ id: product?.id, productId: 1, variantId: 11 }])
    assert.equal(attached.data.id, id)
    assert.equal(deleted?.type, 'asset.deleted')
    assert.deepEqual(deleted.actor, jobActor('test'))
    assert.ok(deleted.data.trashedAt instanceof Date)
    assert.ok(Math.abs(deleted.createdAt.getTime() - Date.now()) < 60_000)
  })

  test(name('the event of a damaged older version has the number of that version'), async (t) => {
    const { database, data } = await open(t)
    const id = await aReadyAsset(data)
    await replace(data, id)
    await database.recordVerification(id, { sha256: null, dueAt: inHours(1) })
    const damaged = (await readEvents(data)).at(-1)
    assert.equal(damaged?.type, 'asset.damaged')
    assert.deepEqual([damaged.data.version, damaged.data.damagedVersion], [2, 1])
    assert.equal(damaged.data.integrity.isDamaged, false)
  })

  test(name('events of a deletion of all assets have the actor that began it'), async (t) => {
    const { database, account, data } = await open(t)
    const actor: EventActor = { type: 'key', id: newUuid(), name: 'shop' }
    await aLink(data)
    await database.of(account.id, actor).beginTrashAll()
    await database.of(account.id, jobActor('test')).continueTrashAll()
    assert.deepEqual((await readEvents(data)).at(-1)?.actor, actor)
  })

  test(name('events are listed after an ID, by type, up to a limit'), async (t) => {
    const { database, account, data } = await open(t)
    for (let count = 0; count < 3; count += 1) await data.deleteAsset(await aLink(data))
    const list = async (query: { after: number; limit: number; types?: ['asset.removed'] }) =>
      (await data.listEvents(query)).events.map(({ id, type }) => `${id} ${type}`)
    assert.deepEqual(await list({ after: 0, limit: 2 }), ['1 asset.ready', '2 asset.deleted'])
    assert.deepEqual(await list({ after: 7, limit: 5 }), ['8 asset.deleted', '9 asset.removed'])
    assert.deepEqual(await list({ after: 3, limit: 1, types: ['asset.removed'] }), [
      '6 asset.removed',
    ])
    const types = ['asset.removed', 'asset.ready', 'key.created'] as const
    const { events, hasMore, lastId } = await data.listEvents({
      after: 1,
      limit: 3,
      types: [...types],
    })
    assert.equal(hasMore, true)
    assert.deepEqual(
      events.map(({ id }) => id),
      [3, 4, 6],
    )
    assert.equal(lastId, 9)
    const other = await database.ensureAccount({ ...account, id: newUuid(), name: 'other' })
    const empty = await database.of(other.id).listEvents({ after: 0, limit: 10 })
    const times = { afterAt: null, lastAt: null, forgottenAt: null }
    assert.deepEqual(empty, { events: [], hasMore: false, lastId: 0, forgottenId: 0, ...times })
    const next = await data.listEvents({ after: 2, limit: 1 })
    assert.deepEqual(
      next.afterAt,
      (await data.listEvents({ after: 1, limit: 1 })).events[0]?.createdAt,
    )
    assert.deepEqual((await data.listEvents({ after: next.lastId, limit: 1 })).afterAt, next.lastAt)
    assert.ok(next.lastAt)
    assert.equal((await data.listEvents({ after: 99, limit: 1 })).afterAt, null)
  })

  test(name('a page of large events ends early, and the next one continues'), async (t) => {
    const { data } = await open(t)
    const tags = Array.from({ length: 250 }, (_, index) => `${index}`.padEnd(200, 'x'))
    const products = Array.from({ length: 100 }, (_, variantId) => aProduct({ variantId, tags }))
    await data.putProducts(products)
    const first = await data.listEvents({ after: 0, limit: 100 })
    assert.ok(first.hasMore && first.events.length > 50 && first.events.length < 100)
    const rest = await data.listEvents({ after: first.events.length, limit: 100 })
    assert.deepEqual([rest.hasMore, first.events.length + rest.events.length], [false, 100])
  })

  test(name('an event lists at most 100 attached products'), async (t) => {
    const { data } = await open(t)
    const id = await aLink(data)
    const products = Array.from({ length: 101 }, (_, variantId) => aProduct({ variantId }))
    await data.putProducts(products)
    const { lastId } = await data.listEvents({ after: 0, limit: 1 })
    await data.attachProducts(id, FIRST)
    const { events } = await data.listEvents({ after: lastId, limit: 10 })
    const lengths = events.map((event) =>
      event.type === 'asset.attached' ? event.data.products.length : 0,
    )
    assert.deepEqual(lengths, [100, 1])
  })

  test(name('a reader sees each event of concurrent changes once, in order'), async (t) => {
    const { data } = await open(t, { planStorage: 10_000 })
    const [product] = await data.putProducts([aProduct()])
    let isDone = false
    const change = async (index: number) => {
      const id = await aReadyAsset(data, { size: 1 })
      if (index % 3 === 0) await data.attachProducts(id, { ...NONE, ids: [product?.id ?? ''] })
      if (index % 3 === 1) await data.trashAssets([id])
      // This call is rolled back: its events must not be visible, and their IDs are used again.
      await data.attachProducts(id, { ...NONE, productIds: [7] })
    }
    const changes = Promise.all(Array.from({ length: 30 }, (_, index) => change(index)))
    const seen: number[] = []
    const read = async () => {
      const { events } = await data.listEvents({ after: seen.length, limit: 7 })
      seen.push(...events.map(({ id }) => id))
      // Let the changes continue: SQLite reads without waiting for I/O.
      await nextTurn()
      return events.length
    }
    const reader = (async () => {
      while (!isDone) await read()
    })()
    await changes
    isDone = true
    await reader
    while ((await read()) > 0);
    assert.deepEqual(
      seen,
      seen.map((_, index) => index + 1),
    )
    assert.equal(seen.length, 1 + 30 * 2 + 10 + 10)
  })

  test(name('old events are forgotten in batches; pages have the last forgotten ID'), async (t) => {
    const { database, account, data } = await open(t)
    for (let count = 0; count < 3; count += 1) await aLink(data)
    const other = await database.ensureAccount({ ...account, id: newUuid(), name: 'other' })
    await aLink(database.of(other.id))
    const trim = async (hours: number, batch: number, accountId = account.id) =>
      (await database.trimEvents(accountId, olderThan(hours), batch)).forgotten
    const toTrim = (hours: number) => database.listAccountsToTrim(olderThan(hours), undefined, 10)
    // They have not been counted yet.
    assert.deepEqual(await toTrim(-1), [account.id, other.id].sort())
    assert.deepEqual([await trim(-1, 10), await trim(-1, 10, other.id)], [0, 0])
    assert.deepEqual(await toTrim(-1), [])
    assert.deepEqual(await toTrim(1), [account.id, other.id].sort())
    const all = { after: 0, limit: 10 }
    assert.equal(await trim(1, 2), 2)
    const first = await data.listEvents(all)
    assert.deepEqual([first.forgottenId, first.lastId, first.events.length], [2, 3, 1])
    assert.deepEqual([await trim(1, 10), await trim(1, 10, other.id)], [1, 1])
    assert.deepEqual(await toTrim(1), [])
    const lastAt = first.events[0]?.createdAt
    const times = { afterAt: null, lastAt, forgottenAt: lastAt }
    const none = { events: [], hasMore: false, lastId: 3, forgottenId: 3, ...times }
    // The time of the last event is still known, because readers may continue after it.
    assert.deepEqual((await data.listEvents({ after: 3, limit: 1 })).afterAt, lastAt)
    assert.deepEqual(await data.listEvents(all), none)
    await aLink(data)
    assert.equal((await data.listEvents(all)).events[0]?.id, 4)
    for (const { missing } of await database.compareEvents()) assert.equal(missing, 0)
  })

  test(
    name('above the limit of bytes, the oldest events are forgotten, and the bytes are counted'),
    async (t) => {
      const { database, account, data } = await open(t)
      for (let count = 0; count < 10; count += 1) await aLink(data)
      const counters = async () => {
        const [comparison] = await database.compareEvents()
        assert.equal(comparison?.countedBytes, comparison?.actualBytes)
        return comparison?.countedBytes ?? 0
      }
      const limits = (maxBytes?: number) => ({ before: undefined, maxBytes })
      const batches = [4, 4, 4].map(() => database.trimEvents(account.id, limits(), 4))
      // Concurrent calls count each event once.
      await Promise.all(batches)
      const all = await counters()
      assert.ok(all > 10 * 200, `${all}`)
      const maxBytes = Math.floor(all / 2)
      assert.deepEqual(await database.listAccountsToTrim(limits(all), undefined, 10), [])
      const excess = await database.listAccountsToTrim(limits(maxBytes), undefined, 10)
      assert.deepEqual(excess, [account.id])
      const trimmed = await Promise.all(
        [1, 2].map(() => database.trimEvents(account.id, limits(maxBytes), 100)),
      )
      assert.deepEqual(trimmed.map(({ forgotten }) => forgotten).sort(), [0, 5])
      assert.ok((await counters()) <= maxBytes)
      const { forgottenId, events } = await data.listEvents({ after: 0, limit: 10 })
      assert.deepEqual([forgottenId, events[0]?.id, events.length], [5, 6, 5])
    },
  )

  test(
    name('an event that a pending delivery needs is kept, but not beyond the limit of bytes'),
    async (t) => {
      const { database, account, data } = await open(t)
      const webhook = await addWebhook(data)
      for (let count = 0; count < 3; count += 1) await aLink(data)
      // The deliveries of the events 2 and 3.
      await queue(database, webhook.id, 2, { body: null })
      const trim = async (limits: { before?: Date; maxBytes?: number }) => {
        const { before, maxBytes } = limits
        return (await database.trimEvents(account.id, { before, maxBytes }, 10)).forgotten
      }
      assert.equal(await trim({ before: inHours(1) }), 1)
      const claimed = await claimAt(database, inHours(1))
      const claimOf = (id: number) => claimed.find(({ delivery }) => delivery.eventId === id)
      const [first, second] = [claimOf(2), claimOf(3)]
      assert.ok(first && second)
      assert.ok(first.bytes > 0 && first.event !== undefined && 'id' in first.event)
      assert.deepEqual([first.event.id, first.delivery.eventId], [2, 2])
      await database.recordAttempt(first, SUCCESS)
      assert.equal(await trim({ before: inHours(1) }), 1)
      assert.equal(await data.redeliver(webhook.id, first.delivery.id), 'forgotten')
      assert.equal(await trim({ maxBytes: 0 }), 2)
      const [lost] = await claimAt(database, inHours(2))
      assert.deepEqual([lost?.delivery.eventId, lost?.event, lost?.bytes], [3, undefined, 0])
      assert.ok(lost)
      const attempt = anAttempt({ status: null, error: 'forgotten' })
      await database.recordAttempt(lost, { outcome: 'lost', attempt })
      // The first claim was lost, so it changes nothing.
      await database.recordAttempt(second, { outcome: 'lost', attempt })
      const delivery = await data.findDelivery(webhook.id, lost.delivery.id)
      assert.deepEqual([delivery?.status, delivery?.attempts[0]?.error], ['failed', 'forgotten'])
      const types = await database.listEventTypes(account.id, 3, 10)
      assert.deepEqual(types, { events: [], lastId: 4 })
      const range = { after: 3, until: 4, missed: 1 }
      assert.ok(await database.addDeliveries(webhook.id, range, []))
      const state = await data.findWebhook(webhook.id)
      assert.deepEqual([state?.missed?.count, state?.failingSince, state?.pending], [2, null, 0])
    },
  )

  test(name('imported events are equal to those of the other deployment'), async (t) => {
    const { database, account, data } = await open(t)
    const id = await aReadyAsset(data, { path: 'x' })
    await data.putProducts([aProduct()])
    await data.attachProducts(id, FIRST)
    await replace(data, id)
    await data.deleteVersion(id, 1)
    await database.recordVerification(id, { sha256: null, dueAt: inHours(1) })
    const key = { id: newUuid(), name: 'k', scope: 'read', hash: newUuid(), hint: 'h' } as const
    await data.addKey({ ...key, createdAt: NOON }, 10)
    const page = await data.listEvents({ after: 0, limit: 100 })
    const { id: other } = await database.ensureAccount({ ...account, id: newUuid(), name: 'other' })
    const target = database.of(other)
    await target.putProducts([aProduct()], { isCopy: true })
    await target.importEvents(page)
    await target.importEvents(page)
    const imported = await target.listEvents({ after: 0, limit: 100 })
    const text = JSON.stringify(imported).replaceAll(other, account.id)
    assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(page)))
    await aLink(target)
    assert.equal((await target.listEvents({ after: page.lastId, limit: 1 })).events.length, 1)
  })

  test(
    name(
      'missing events are counted, and a repair marks them as forgotten and corrects the counter',
    ),
    async (t) => {
      const { database, account, data } = await open(t)
      for (let count = 0; count < 3; count += 1) await aLink(data)
      const { events } = await data.listEvents({ after: 0, limit: 10 })
      const { id } = await database.ensureAccount({ ...account, id: newUuid(), name: 'other' })
      const target = database.of(id)
      await target.importEvents({ events: events.slice(2), lastId: 0, forgottenId: 0 })
      const compare = async () =>
        (await database.compareEvents()).find(({ accountId }) => accountId === id)
      const counters = { accountId: id, lastId: 0, highestId: 3, missing: 2 }
      assert.deepEqual(await compare(), { ...counters, countedBytes: 0, actualBytes: 0 })
      await database.repairEvents(id)
      const { countedBytes, actualBytes, ...repaired } = (await compare()) ?? assert.fail()
      assert.deepEqual(repaired, { ...counters, lastId: 3, missing: 0 })
      assert.ok(countedBytes > 0 && countedBytes === actualBytes)
      const page = await target.listEvents({ after: 0, limit: 10 })
      assert.deepEqual([page.forgottenId, page.events.length], [2, 1])
      await target.importEvents({ events: [], lastId: 5, forgottenId: 0 })
      await database.repairEvents(id)
      assert.equal((await target.listEvents({ after: 0, limit: 1 })).forgottenId, 5)
    },
  )
}

function olderThan(hours: number) {
  return { before: inHours(hours), maxBytes: undefined }
}

/** The accounts that a listener is called with. */
function listenToEvents(t: TestContext, database: Database): (string | undefined)[] {
  const woken: (string | undefined)[] = []
  cleanUp(
    t,
    database.onEvents((accountId) => woken.push(accountId)),
  )
  return woken
}

/** The contract for readers of events. */
export function testEventReaders({ name, open }: Contract): void {
  test(name('a listener is called soon after a commit, until it is removed'), async (t) => {
    const { database, account, data } = await open(t)
    let removedCalls = 0
    const stop = database.onEvents(() => {
      removedCalls += 1
    })
    stop()
    stop()
    const many = Array.from({ length: 300 }, (_, index) => aProduct({ variantId: index }))
    for (const work of [
      () => data.putProducts(many),
      () => Promise.all([aLink(data), aLink(data), aLink(data)]),
    ]) {
      const woken = listenToEvents(t, database)
      const reading = new Promise<number>((resolve) => {
        const end = database.onEvents((accountId) => {
          if (accountId !== account.id) return
          end()
          resolve(data.listEvents({ after: 0, limit: 1 }).then(({ lastId }) => lastId))
        })
      })
      await work()
      // When the listener is called, the events can be read.
      assert.ok((await reading) > 0)
      await nextTurn()
      assert.ok(woken.length <= 6 && woken.includes(account.id), `${woken}`)
    }
    const woken = listenToEvents(t, database)
    await data.listEvents({ after: 0, limit: 1 })
    await data.readSummary()
    await nextTurn()
    assert.ok(!woken.includes(account.id))
    assert.equal(removedCalls, 0)
  })

  test(
    name('a listener learns that a session was removed, or that a key was revoked'),
    async (t) => {
      const { database, data } = await open(t)
      const woken = listenToEvents(t, database)
      const ended: (string | undefined)[] = []
      cleanUp(
        t,
        database.onEndedCredential((name) => ended.push(name)),
      )
      const tokenHash = '0123456789abcdef'.repeat(4)
      await database.removeSession(tokenHash)
      await until('the session is announced', () => ended.includes(endedCredential(tokenHash)))
      const key = await addKey(data)
      await data.revokeKey(key.id, { now: new Date(), keepLast: false })
      await until('the key is announced', () => ended.includes(endedCredential(key.id)))
      // Listeners of events get only accounts.
      assert.ok(woken.every((id) => id === undefined || !isEndedCredential(id)))
      assert.ok(ended.every((name) => name === undefined || isEndedCredential(name)))
    },
  )

  test(name('a page of events ends early if its events are large'), async (t) => {
    const { data } = await open(t)
    await data.putProducts([1, 2, 3].map((variantId) => aProduct({ variantId })))
    const read = async (query: Partial<EventQuery>) => {
      const { events, hasMore } = await data.listEvents({ after: 0, limit: 10, ...query })
      return [events.map(({ id }) => id), hasMore]
    }
    assert.deepEqual(await read({ maxBytes: 1 }), [[1], true])
    assert.deepEqual(await read({ maxBytes: 1, after: 2 }), [[3], false])
    assert.deepEqual(await read({ maxBytes: 1, before: 4 }), [[3], true])
    assert.deepEqual(await read({ maxBytes: 10_000 }), [[1, 2, 3], false])
  })

  test(name('the newest events are read in descending order'), async (t) => {
    const { data } = await open(t)
    await data.putProducts([1, 2, 3].map((variantId) => aProduct({ variantId })))
    await aLink(data)
    const read = async (query: Partial<EventQuery>) => {
      const { events } = await data.listEvents({ after: 0, limit: 10, ...query })
      return events.map(({ id }) => id)
    }
    assert.deepEqual(await read({ before: 5 }), [4, 3, 2, 1])
    assert.deepEqual(await read({ before: 4, limit: 2 }), [3, 2])
    assert.deepEqual(await read({ before: 4, after: 2 }), [3])
    assert.deepEqual(await read({ before: 9, types: ['product.updated'], limit: 2 }), [3, 2])
    assert.deepEqual(
      await read({ before: 9, types: ['asset.ready', 'product.updated'] }),
      [4, 3, 2, 1],
    )
    assert.deepEqual(await read({ before: 1 }), [])
  })
}
