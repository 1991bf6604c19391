import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Asset, Event } from '@stowage/protocol'
import { checkEvents } from '@stowage/server/src/database/contract/check-events'
import { eventNumber } from '@stowage/server/src/domain/event'
import type { Context } from '@stowage/server/src/operations/context'
import {
  moveAllExpiriesToPast,
  runJobs,
  takeOverJobs,
  withoutRetention,
} from '@stowage/testing/service/jobs'
import { aService, type TestService } from '@stowage/testing/service/service'
import type { ServiceProcess } from '@stowage/testing/service/service-process'
import { API, callUrl, download, listAll } from '@stowage/testing/service/upload'
import { type Outcomes, type RetryOptions, retryUntilResponse } from './clients.ts'
import type { EmptyDeployment } from './shared-engines.ts'

/** Longer than orphaned uploads stay in the storage. */
const LATER_MS = 48 * 3_600_000
const CONCURRENT_DOWNLOADS = 8

/**
 * Call this after all clients and instances have ended. Runs the jobs with a later clock, then checks that
 * every confirmed change is stored and that nothing else remains in the database or the storage, even if the storage's
 * gateway was killed during the test.
 */
export async function checkFinalState(
  t: TestContext,
  deployment: EmptyDeployment,
  outcomes: Outcomes,
): Promise<void> {
  const service = await aService(t, deployment.settings)
  await settle(await takeOverJobs(service), deployment.settings.STOWAGE_DATABASE ?? '')
  const assets = await listAll(service.baseUrl)
  const kept = [...outcomes.completed].filter((id) => !outcomes.deleted.has(id))
  assert.deepEqual(assets.map(({ id }) => id).toSorted(), kept.toSorted())
  await checkContents(service, outcomes, assets)
  for (const id of [...outcomes.cancelled, ...outcomes.deleted, ...outcomes.abandoned]) {
    assert.equal((await service.call('GET', `${API}/assets/${id}`)).status, 404, id)
  }
  const [usage, ...others] = await service.context.database.compareUsage()
  assert.deepEqual(others, [])
  const stored = assets.reduce((sum, asset) => sum + asset.bytes, 0)
  assert.partialDeepStrictEqual(usage?.actual, { stored, reserved: 0, assets: assets.length })
  assert.deepEqual(usage?.counted, usage?.actual)
  await checkEvents(service.context.database, usage?.accountId ?? '')
  assert.deepEqual(await deployment.readObjects(), kept.toSorted())
  assert.deepEqual(await Array.fromAsync(service.context.storage.listUploads()), [])
}

async function settle(context: Context, database: string): Promise<void> {
  const clock = () => new Date(Date.now() + LATER_MS)
  const later = {
    ...context,
    clock,
    database: { ...context.database, readClock: async () => clock() },
  }
  await moveAllExpiriesToPast(database)
  // A completion that lacks parts is reopened as an upload, which expires in the next run.
  for (let run = 0; run < 3; run += 1) await runJobs(withoutRetention(later), { stuckMs: 0 })
  assert.deepEqual(await context.database.listRemovals(1), [])
}

async function checkContents(
  { baseUrl }: TestService,
  outcomes: Outcomes,
  assets: Asset[],
): Promise<void> {
  const waiting = assets.values()
  const check = async () => {
    for (const { id, status, bytes } of waiting) {
      const file = await download(baseUrl, id)
      const sha256 = createHash('sha256').update(file).digest('hex')
      const expected = ['ready', file.length, outcomes.files.get(id)]
      assert.deepEqual([status, bytes, sha256], expected, id)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_DOWNLOADS }, check))
}

/** Short enough that every instance serves some of the reads before it is killed. */
const PAUSE_MS = 50

/**
 * Reads the events of the account from random instances until `isOver` returns true and the last event is read. Fails
 * unless their numbers are 1, 2, … in this order.
 */
export async function readEventsUntilOver(
  options: RetryOptions & { isOver: () => boolean },
): Promise<Event[]> {
  const events: Event[] = []
  for (;;) {
    const isLast = options.isOver()
    const after = events.at(-1)?.id ?? 0
    const send = (url: string) => callUrl(`${url}/api/v1/events?after=${after}&limit=1000`)
    const { body } = await retryUntilResponse(options, { step: 'list', expected: 200, send })
    for (const event of body.data as Event[]) {
      events.push(event)
      assert.equal(eventNumber(event.id), events.length)
    }
    if (isLast && !body.meta.has_more) return events
    // The interval between two reads; it waits for no particular event.
    if (!body.meta.has_more) await pause(PAUSE_MS)
  }
}

/** Fails unless each confirmed change has exactly one event of each type that it causes. */
export function checkOutcomeEvents(events: Event[], outcomes: Outcomes): void {
  const counts = new Map<string, number>()
  for (const { type, data } of events) {
    const key = `${type} ${'id' in data ? data.id : ''}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const expectOne = (type: string, ids: Iterable<string>) => {
    for (const id of ids) assert.equal(counts.get(`${type} ${id}`), 1, `${type} ${id}`)
  }
  expectOne('upload.started', outcomes.files.keys())
  expectOne('asset.ready', outcomes.completed)
  expectOne('asset.deleted', outcomes.deleted)
  expectOne('asset.removed', outcomes.deleted)
  expectOne('upload.cancelled', outcomes.cancelled)
}

/** Fails unless every logged error has one of these types. All of stderr must be log lines in JSON. */
export function assertLoggedErrors(instance: ServiceProcess, expected: string[] = []): void {
  // The text after the last line break may be a line that a kill cut off.
  const lines = instance.output().stderr.split('\n').slice(0, -1)
  for (const line of lines) {
    assert.match(line, /^\{.*\}$/)
    const { level, err } = JSON.parse(line)
    assert.ok(level < 50 || expected.includes(err?.type), line)
  }
}
