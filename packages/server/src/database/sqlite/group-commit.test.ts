import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { groupCommits } from './group-commit.ts'
import { wrapConnection } from './statement.ts'

function openGroup(file = ':memory:') {
  const connection = wrapConnection(new DatabaseSync(file, { timeout: 0 }))
  connection.prepare('create table numbers (number integer primary key) strict').run()
  const insert = connection.prepare('insert into numbers values (:number)')
  const list = connection.prepare<{ number: number }>('select number from numbers order by number')
  const inGroup = groupCommits(connection)
  return {
    /** Puts them in one after the other, as one unit. */
    put: (...numbers: number[]) =>
      inGroup(() => {
        for (const number of numbers) insert.run({ number })
        return numbers.length
      }),
    numbers: () => list.all().map(({ number }) => number),
  }
}

test('of units that arrive together, one that fails takes back its own work and nothing else', async () => {
  const { put, numbers } = openGroup()
  const outcomes = await Promise.allSettled([put(1, 2), put(3, 3), put(4), put(5, 1), put(6)])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(numbers(), [1, 2, 4, 6])
})

test('each is answered with what it gave', async () => {
  const { put } = openGroup()
  assert.deepEqual(await Promise.all([put(1, 2, 3), put(), put(4)]), [3, 0, 1])
})

test('a unit by itself that fails leaves nothing, and the next one works', async () => {
  const { put, numbers } = openGroup()
  await assert.rejects(put(1, 2, 1), /UNIQUE/)
  assert.deepEqual(numbers(), [])
  await put(1)
  assert.deepEqual(numbers(), [1])
})

test('units wait for another process without blocking this one, and none is lost or run twice', async (t) => {
  const file = join(await aFolder(t), 'numbers.db')
  const { put, numbers } = openGroup(file)
  const other = new DatabaseSync(file)
  t.after(() => other.close())
  other.exec('begin immediate; insert into numbers values (9)')
  const early = Promise.allSettled([put(1), put(2, 2), put(3)])
  for (let turn = 0; turn < 10; turn += 1) await nextTurn()
  const late = Promise.allSettled([put(4), put(9)])
  assert.deepEqual(numbers(), [])
  other.exec('commit')
  const statuses = (await Promise.all([early, late])).flat().map(({ status }) => status)
  assert.deepEqual(statuses, ['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'rejected'])
  assert.deepEqual(numbers(), [1, 3, 4, 9])
})
