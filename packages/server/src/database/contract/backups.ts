import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { v7 as newUuid } from 'uuid'
import type { Database } from '../database.ts'
import { aReadyAsset, type Contract, expireOverdue, OVERDUE, reserve } from './builders.ts'

const RESULT = { generation: '20260131T120000Z', files: 3, bytes: 5_000_000_000, damaged: 1 }

function begin(database: Database, holdForMs = 60_000): { id: string; begun: Promise<void> } {
  const id = newUuid()
  return { id, begun: database.beginBackup({ id, location: '/backups', holdForMs }) }
}

async function dueKinds(database: Database): Promise<string[]> {
  const due = await database.claimDueRemovals(await database.readClock(), 10)
  return due.map(({ kind }) => kind)
}

export function testBackups({ name, open }: Contract): void {
  test(
    name('a running backup holds the removals of objects, but not those of uploads'),
    async (t) => {
      const { database, data } = await open(t, { planStorage: 1000 })
      const { id, begun } = begin(database)
      await begun
      assert.equal((await database.listBackups(1))[0]?.isRunning, true)
      const asset = await aReadyAsset(data)
      await data.deleteAssets([asset])
      await reserve(data, OVERDUE)
      await expireOverdue(database)
      assert.deepEqual(await dueKinds(database), ['upload'])
      const state = await database.readState()
      assert.equal(state.queues.find(({ job }) => job === 'removeObjects')?.length, 0)
      assert.equal(await database.holdRemovals(id, 60_000), true)
      assert.deepEqual(await dueKinds(database), [])
      await database.endBackup(id, RESULT)
      assert.deepEqual(await dueKinds(database), ['object'])
      assert.equal(await database.holdRemovals(id, 60_000), false)
      assert.equal((await database.listBackups(1))[0]?.isRunning, false)
    },
  )

  test(name('a hold ends by itself, and one of a wrong clock counts as ended'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    await data.deleteAssets([await aReadyAsset(data)])
    const ended = begin(database, 0)
    await ended.begun
    assert.equal(await database.holdRemovals(ended.id, 60_000), false)
    await begin(database, 24 * 3_600_000).begun
    assert.deepEqual(await dueKinds(database), ['object'])
    const listed = await database.listBackups(10)
    assert.deepEqual(
      listed.map(({ isRunning }) => isRunning),
      [false, false],
    )
  })

  test(
    name('backups are listed with their results, and the last complete one is never forgotten'),
    async (t) => {
      const { database } = await open(t)
      const first = begin(database)
      await first.begun
      await database.endBackup(first.id, RESULT)
      for (let count = 0; count < 101; count += 1) {
        const { id, begun } = begin(database)
        await begun
        await database.endBackup(id, undefined)
      }
      const listed = await database.listBackups(1000)
      assert.equal(listed.length, 101)
      const { finishedAt, startedAt, ...facts } = listed.at(-1) ?? assert.fail()
      assert.deepEqual(facts, {
        id: first.id,
        location: '/backups',
        isRunning: false,
        result: RESULT,
      })
      assert.ok(finishedAt !== null && finishedAt >= startedAt)
      assert.deepEqual([listed[0]?.finishedAt, listed[0]?.result], [null, null])
      assert.equal((await database.listBackups(2)).length, 2)
    },
  )

  test(name('the state has the age of the newest complete backup'), async (t) => {
    const { database } = await open(t)
    const ageMs = async () => (await database.readState()).backupAgeMs
    assert.equal(await ageMs(), undefined)
    const first = begin(database)
    await first.begun
    assert.equal(await ageMs(), undefined, 'a running backup counts')
    await database.endBackup(first.id, RESULT)
    await pause(300)
    const firstAge = (await ageMs()) ?? assert.fail('a complete backup has no age')
    assert.ok(firstAge >= 300 && firstAge < 60_000, `${firstAge} ms`)
    const interrupted = begin(database)
    await interrupted.begun
    await database.endBackup(interrupted.id, undefined)
    assert.ok(((await ageMs()) ?? 0) >= firstAge, 'an interrupted backup counts')
    const second = begin(database)
    await second.begun
    await database.endBackup(second.id, RESULT)
    assert.ok(((await ageMs()) ?? Infinity) < firstAge, 'the newest one does not count')
  })
}
