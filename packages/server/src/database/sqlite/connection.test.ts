import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { connect, openSnapshotReader, wrapConnection } from './connection.ts'

/* Runs in its own process: it measures delays. */

async function aReader(t: TestContext) {
  const file = join(await aFolder(t), 'numbers.db')
  const database = connect(file)
  database.exec('create table blobs (id integer primary key, bytes blob) strict')
  const snapshots = openSnapshotReader({ file, database })
  cleanUp(t, () => {
    snapshots.close()
    database.close()
  })
  return { file, database, snapshots }
}

test('the log stays short although long reads follow each other at once', async (t) => {
  const { file, database, snapshots } = await aReader(t)
  let isOver = false
  async function readOn(): Promise<void> {
    while (!isOver)
      await snapshots.read('account', async ({ prepare }) => {
        prepare('select count(*) from blobs').get()
        await nextTurn()
        await nextTurn()
      })
  }
  const reads = [readOn(), readOn()]
  let longest = 0
  for (let write = 0; write < 60; write += 1) {
    database.exec('replace into blobs values (1, randomblob(1000000))')
    longest = Math.max(longest, statSync(`${file}-wal`).size)
    await nextTurn()
  }
  isOver = true
  await Promise.all(reads)
  assert.ok(longest < 20_000_000, `${longest} bytes`)
})

test('a long read that fails ends its snapshot, and the next one runs', async (t) => {
  const { database, snapshots } = await aReader(t)
  const count = async (): Promise<number | undefined> =>
    snapshots.read(
      'account',
      async ({ prepare }) => prepare<{ n: number }>('select count(*) as n from blobs').get()?.n,
    )
  const failing = snapshots.read('account', async ({ prepare }) => {
    prepare('select count(*) from blobs').get()
    await nextTurn()
    throw new Error('failed')
  })
  const waiting = count()
  await assert.rejects(failing, /failed/)
  assert.equal(await waiting, 0)
  database.exec('insert into blobs values (1, null)')
  assert.equal(await count(), 1)
})

test('a long read is refused if a hundred of its account wait, and other accounts are served in turn', async (t) => {
  const { snapshots } = await aReader(t)
  const order: string[] = []
  const read = (account: string) =>
    snapshots.read(account, async () => {
      order.push(account)
    })
  const reads = Array.from({ length: 101 }, () => read('busy'))
  const refused = assert.rejects(read('busy'), { name: 'EngineUnavailable' })
  await Promise.all([refused, read('other'), ...reads])
  assert.ok(order.indexOf('other') <= 2)
  assert.equal(order.length, 102)
})

test('parameters are bound by name, in any order and repeatedly, and not within texts or comments', (t) => {
  const database = new DatabaseSync(':memory:')
  cleanUp(t, () => database.close())
  const { prepare } = wrapConnection(database)
  const statement = prepare<{ row: string }>(
    `select json_array(:b, :a, 'at 12:a', ":a", :b) as row -- :c
     from (select 1 as ":a")`,
  )
  assert.deepEqual(statement.get({ a: 'one', b: 'two' }), {
    row: '["two","one","at 12:a",1,"two"]',
  })
  assert.throws(() => statement.get({ a: 'one' }), /cannot be bound/)
})
