import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '@stowage/testing/machine/until'
import { takeOverJobs, withClockAhead } from '@stowage/testing/service/jobs'
import { aService, type TestService } from '@stowage/testing/service/service'
import { putParts, requestSession, someBytes, uploadFile } from '@stowage/testing/service/upload'
import type { AccountData } from '../database/account-data.ts'
import type { EventListener } from '../database/event-data.ts'
import type { Context } from '../operations/context.ts'
import { createChecksumJobs } from './checksums.ts'
import { openSchedule, PAUSE_MS } from './schedule.ts'

/** Longer than any step of a job takes that does not hang. */
const CLOSING_MS = 10_000

/** The real storage, except that each removal waits until the gate is opened. */
function withGatedRemovals(context: Context) {
  const gate = Promise.withResolvers<void>()
  const counts = { begun: 0, running: 0, most: 0 }
  const gated: Context = {
    ...context,
    storage: {
      ...context.storage,
      async removeObject(key) {
        counts.begun += 1
        counts.running += 1
        counts.most = Math.max(counts.most, counts.running)
        await gate.promise
        await context.storage.removeObject(key)
        counts.running -= 1
      },
    },
  }
  return { context: gated, counts, open: gate.resolve }
}

async function ownData({ context }: TestService): Promise<AccountData> {
  const account = await context.database.findAccount('default')
  return context.database.of(account?.id ?? '')
}

/** A service with this many objects to remove, whose own jobs do nothing. */
async function withBacklog(t: TestContext, count: number) {
  const service = await aService(t)
  const context = await takeOverJobs(service)
  const data = await ownData(service)
  for (let index = 0; index < count; index += 1) {
    const { id } = await uploadFile(service.baseUrl, { bytes: someBytes(1) })
    await data.deleteAsset(id)
  }
  return { service, context: withClockAhead(context, 2) }
}

test('removals that hang in the storage do not delay other jobs', async (t) => {
  const { service, context: own } = await withBacklog(t, 1)
  const bytes = someBytes(10)
  const session = await requestSession(service.baseUrl, { bytes })
  await putParts(session, bytes)
  await (await ownData(service)).beginCompletion(session.id, { keptForMs: 3_600_000 })
  const { context, counts, open } = withGatedRemovals(own)
  const schedule = openSchedule(context, { isAlone: false })
  try {
    await until('a removal waits', () => counts.running === 1)
    await until('the interrupted completion is finished', async () => {
      const { body } = await service.call('GET', `/api/v1/assets/${session.id}`)
      return body.data.status === 'ready'
    })
  } finally {
    open()
    await schedule.close(CLOSING_MS)
  }
})

test('the number of concurrent removals is limited, and no removal starts after closing', async (t) => {
  const { context: own } = await withBacklog(t, 20)
  const { context, counts, open } = withGatedRemovals(own)
  const schedule = openSchedule(context, { isAlone: false })
  await until('several removals wait', () => counts.running === 8)
  const closed = schedule.close(CLOSING_MS)
  open()
  await closed
  assert.deepEqual(counts, { begun: 8, running: 0, most: 8 })
  assert.equal((await own.database.listRemovals(100)).length, 12)
})

test('the jobs that read new files run when an account has events, and not at each regular check', async (t) => {
  const context = await takeOverJobs(await aService(t, { STOWAGE_CHECKSUMS: 'on' }))
  const listeners: EventListener[] = []
  const onEvents = (listener: EventListener) => {
    listeners.push(listener)
    return () => {}
  }
  const { compare, compute } = createChecksumJobs(context)
  const jobs = compare.length + compute.length
  let runs = 0
  const schedule = openSchedule(
    { ...context, database: { ...context.database, onEvents } },
    { isAlone: false, onRun: ({ job }) => (runs += /^comp(are|ute)Checksums$/.test(job) ? 1 : 0) },
  )
  try {
    await until('each job has run', () => runs === jobs)
    for (const listener of listeners) listener(undefined)
    // Longer than the pause after a run.
    await pause(800)
    assert.equal(runs, jobs)
    for (const listener of listeners) listener('an account')
    await until('each job has run again', () => runs === 2 * jobs)
  } finally {
    await schedule.close(CLOSING_MS)
  }
})

test('closing does not wait for the next run of any job', async (t) => {
  const service = await aService(t)
  const schedule = openSchedule(service.context, { isAlone: false })
  const before = performance.now()
  await schedule.close(CLOSING_MS)
  const closedMs = performance.now() - before
  assert.ok(closedMs < PAUSE_MS / 2, `closing took ${closedMs} ms`)
})

test('closing waits for a hanging removal for at most the given time', async (t) => {
  const { context: own } = await withBacklog(t, 1)
  const { context, counts, open } = withGatedRemovals(own)
  const schedule = openSchedule(context, { isAlone: false })
  await until('a removal waits', () => counts.running === 1)
  await schedule.close(1)
  assert.equal(counts.running, 1)
  open()
  await schedule.close(CLOSING_MS)
  assert.equal(counts.running, 0)
})
