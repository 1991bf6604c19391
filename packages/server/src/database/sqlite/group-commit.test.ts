import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { groupCommits } from './group-commit.ts'
import { wrapConnection } from './statement.ts'

function openGroup() {
  const connection = wrapConnection(new DatabaseSync(':memory:'))
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
