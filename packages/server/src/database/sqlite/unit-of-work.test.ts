import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { wrapConnection } from './connection.ts'
import { groupCommits } from './unit-of-work.ts'

function openGroup(file = ':memory:') {
  const database = new DatabaseSync(file, { timeout: 0 })
  const connection = wrapConnection(database)
  connection.prepare('create table numbers (number integer primary key) strict').run()
  const insertOne = connection.prepare('insert into numbers values (:number)')
  const list = connection.prepare<{ number: number }>('select number from numbers order by number')
  const inGroup = groupCommits(connection)
  return {
    database,
    inGroup,
    /** Inserts the numbers in one unit. */
    insert: (...numbers: number[]) =>
      inGroup(() => {
        for (const number of numbers) insertOne.run({ number })
        return numbers.length
      }),
    numbers: () => list.all().map(({ number }) => number),
  }
}

test('when one of several grouped units fails, only its own work is rolled back', async () => {
  const { insert, numbers } = openGroup()
  const outcomes = await Promise.allSettled([
    insert(1, 2),
    insert(3, 3),
    insert(4),
    insert(5, 1),
    insert(6),
  ])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(numbers(), [1, 2, 4, 6])
})

test('each unit resolves with its own result', async () => {
  const { insert } = openGroup()
  assert.deepEqual(await Promise.all([insert(1, 2, 3), insert(), insert(4)]), [3, 0, 1])
})

test('a single unit that fails has no effect, and the next one succeeds', async () => {
  const { insert, numbers } = openGroup()
  await assert.rejects(insert(1, 2, 1), /UNIQUE/)
  assert.deepEqual(numbers(), [])
  await insert(1)
  assert.deepEqual(numbers(), [1])
})

test('units fail if no transaction can begin', async () => {
  const { database, insert } = openGroup()
  const first = Promise.allSettled([insert(1), insert(2)])
  database.close()
  const statuses = (await first).map(({ status }) => status)
  assert.deepEqual(statuses, ['rejected', 'rejected'])
  await assert.rejects(insert(3), /not open|finalized/)
})

test('units fail if no transaction can begin after one of them failed', async () => {
  const { database, inGroup, insert } = openGroup()
  const closing = inGroup(() => database.close())
  const statuses = (await Promise.allSettled([insert(1), closing, insert(2)])).map(
    ({ status }) => status,
  )
  assert.deepEqual(statuses, ['rejected', 'rejected', 'rejected'])
})

test('units wait for the lock of another process without blocking, and each takes effect once', async (t) => {
  const file = join(await aFolder(t), 'numbers.db')
  const { insert, numbers } = openGroup(file)
  const other = new DatabaseSync(file)
  t.after(() => other.close())
  other.exec('begin immediate; insert into numbers values (9)')
  const early = Promise.allSettled([insert(1), insert(2, 2), insert(3)])
  for (let turn = 0; turn < 10; turn += 1) await nextTurn()
  const late = Promise.allSettled([insert(4), insert(9)])
  assert.deepEqual(numbers(), [])
  other.exec('commit')
  const statuses = (await Promise.all([early, late])).flat().map(({ status }) => status)
  assert.deepEqual(statuses, ['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'rejected'])
  assert.deepEqual(numbers(), [1, 3, 4, 9])
})

test('units that wait are served account by account, and never block the event loop for long', async () => {
  const { inGroup } = openGroup()
  const order: string[] = []
  const write = (party: string) =>
    inGroup(() => {
      order.push(party)
      const until = performance.now() + 3
      while (performance.now() < until);
    }, party)
  const writes = Array.from({ length: 40 }, () => write('busy'))
  await nextTurn()
  const first = order.length
  assert.ok(first > 0 && first < 10, `${first} units in the first commit`)
  await write('other')
  assert.ok(order.indexOf('other') <= first + 1)
  await Promise.all(writes)
  assert.equal(order.length, 41)
})
