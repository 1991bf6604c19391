import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { Asset } from '@stowage/protocol'
import { listAll } from '@stowage/testing/service/list-all'
import { aService, type TestService } from '@stowage/testing/service/service'
import { API, download } from '@stowage/testing/service/upload'
import type { Ledger } from './multi-instance-client.ts'
import { runJobs } from './run-jobs.ts'
import type { SharedDeployment } from './shared-engines.ts'
import { keepingNothing, makeAllOverdue } from './upload-expiry.ts'

/** Beyond every upload's life, and the day that the storage's strays are left alone. */
const LATER_MS = 48 * 3_600_000
const AT_ONCE = 8

/**
 * Once all clients and instances have ended: lets the jobs run at a later time, and then nothing
 * that was answered is lost and nothing is left over.
 */
export async function checkAftermath(
  t: TestContext,
  deployment: SharedDeployment,
  ledger: Ledger,
): Promise<void> {
  const service = await aService(t, deployment.settings)
  await settle(service, deployment.settings.STOWAGE_DATABASE ?? '')
  const assets = await listAll(service.baseUrl)
  const kept = [...ledger.completed].filter((id) => !ledger.deleted.has(id))
  assert.deepEqual(assets.map(({ id }) => id).toSorted(), kept.toSorted())
  await checkContents(service, ledger, assets)
  for (const id of [...ledger.cancelled, ...ledger.deleted, ...ledger.abandoned]) {
    assert.equal((await service.call('GET', `${API}/assets/${id}`)).status, 404, id)
  }
  const [books, ...others] = await service.context.database.compareUsage()
  assert.deepEqual(others, [])
  const stored = assets.reduce((sum, asset) => sum + asset.bytes, 0)
  assert.partialDeepStrictEqual(books?.actual, { stored, reserved: 0, assets: assets.length })
  assert.deepEqual(books?.counted, books?.actual)
  assert.deepEqual(await deployment.readObjects(), kept.toSorted())
  assert.deepEqual(await Array.fromAsync(service.context.storage.listUploads()), [])
}

async function settle({ context }: TestService, database: string): Promise<void> {
  const clock = () => new Date(Date.now() + LATER_MS)
  const later = {
    ...context,
    clock,
    database: { ...context.database, readClock: async () => clock() },
  }
  // A completion that is found wanting goes back to uploading, and expires in the next run.
  await makeAllOverdue(database)
  for (let run = 0; run < 3; run += 1) await runJobs(keepingNothing(later), { stuckMs: 0 })
  assert.deepEqual(await context.database.listRemovals(1), [])
}

async function checkContents(
  { baseUrl }: TestService,
  ledger: Ledger,
  assets: Asset[],
): Promise<void> {
  const waiting = assets.values()
  const check = async () => {
    for (const { id, status, bytes } of waiting) {
      const file = await download(baseUrl, id)
      const sha256 = createHash('sha256').update(file).digest('hex')
      const expected = ['ready', file.length, ledger.files.get(id)]
      assert.deepEqual([status, bytes, sha256], expected, id)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, check))
}
