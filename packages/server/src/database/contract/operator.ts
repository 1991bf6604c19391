import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { v7 as newUuid } from 'uuid'
import type { InstanceReport } from '../operator-data.ts'
import { anAccount, aReadyAsset, type Contract, reserve } from './builders.ts'

function aReport(facts: Partial<InstanceReport> = {}): InstanceReport {
  const instance = { id: newUuid(), name: 'host (1)', version: '1.2.3' }
  return { ...instance, problems: [], freeBytes: null, fullAt: null, ...facts }
}

export function testOperator({ name, open }: Contract): void {
  test(
    name('an instance keeps its start while it reports, and is forgotten when it has ended'),
    async (t) => {
      const { database } = await open(t)
      const before = await database.readClock()
      const report = aReport({
        problems: ['the disk is full', 'ä'],
        freeBytes: 2 ** 45,
        fullAt: before,
      })
      await database.recordInstance(report)
      const [first = assert.fail()] = (await database.listInstances()).instances
      const { startedAt, seenAt, ...rest } = first
      assert.deepEqual(rest, report)
      assert.deepEqual(seenAt, startedAt)
      assert.ok(startedAt >= before)
      // The times are in milliseconds.
      await pause(5)
      await database.recordInstance({ ...report, problems: [], freeBytes: null, fullAt: null })
      const other = aReport({ name: 'host (2)' })
      await database.recordInstance(other)
      const { now, instances } = await database.listInstances()
      assert.deepEqual(
        instances.map(({ id }) => id),
        [report.id, other.id],
      )
      assert.deepEqual([instances[0]?.startedAt, instances[0]?.problems], [startedAt, []])
      assert.ok((instances[0]?.seenAt ?? 0) > startedAt)
      // A column of PostgreSQL rounds the time that it stores, perhaps to the next millisecond.
      assert.ok(Number(now) + 1 >= Number(instances[1]?.seenAt))
      await database.removeInstance(report.id)
      await database.removeInstance(report.id)
      await database.removeInstance(other.id)
      assert.deepEqual((await database.listInstances()).instances, [])
    },
  )

  test(name('the accounts that use most come first'), async (t) => {
    const { database, account, data } = await open(t)
    const other = await anAccount(database, 'another', 5000)
    await aReadyAsset(data, { size: 100 })
    await aReadyAsset(database.of(other.id), { size: 30 })
    await reserve(database.of(other.id), { size: 1000 })
    const usage = await database.listLargestAccounts(2)
    assert.deepEqual(
      usage.map(({ id, stored, reserved, trash, assets }) => [id, stored, reserved, trash, assets]),
      [
        [other.id, 30, 1000, 0, 1],
        [account.id, 100, 0, 0, 1],
      ],
    )
    assert.equal(usage[0]?.planStorage, 5000)
    assert.equal((await database.listLargestAccounts(1)).length, 1)
    assert.deepEqual(await database.readFailures(), { mails: 0, webhooks: 0, bulkJobs: 0 })
  })
}
