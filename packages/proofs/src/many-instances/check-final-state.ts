import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { Asset } from '@stowage/protocol'
import { checkEvents } from '@stowage/server/src/database/contract/check-events'
import type { Context } from '@stowage/server/src/operations/context'
import {
  moveAllExpiriesToPast,
  runJobs,
  takeOverJobs,
  withoutRetention,
} from '@stowage/testing/service/jobs'
import { aService, type TestService } from '@stowage/testing/service/service'
import { API, download, listAll } from '@stowage/testing/service/upload'
import type { Outcomes } from './multi-instance-client.ts'
import type { SharedDeployment } from './shared-engines.ts'

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
  deployment: SharedDeployment,
  outcomes: Outcomes,
): Promise<void> {
  const service = await aService(t, deployment.settings)
  await settle(takeOverJobs(service), deployment.settings.STOWAGE_DATABASE ?? '')
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
