import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { endedCredential, isEndedCredential } from '../../domain/key.ts'
import type { Database } from '../database.ts'
import type { EventQuery } from '../event-data.ts'
import { addKey } from './accounts.ts'
import { aLink, aProduct, type Contract } from './builders.ts'

/** The accounts that a listener is called with. */
export function listenToEvents(t: TestContext, database: Database): (string | undefined)[] {
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
