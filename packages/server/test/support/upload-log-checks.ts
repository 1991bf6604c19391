import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Asset } from '@stowage/protocol'
import type { TestService } from '@stowage/testing/service/service'
import { API, download } from '@stowage/testing/service/upload'
import type { AssetStatus } from '../../src/domain/asset.ts'
import { runJobs } from './run-jobs.ts'
import { inHours, keepingNothing } from './upload-expiry.ts'
import type { Diary } from './uploading-client.ts'

const ENDS: (AssetStatus | undefined)[] = ['cancelled', 'expired', 'ready']

/**
 * Lets the jobs run, once the time of every upload is up. Then each upload has ended in one way or
 * another, and nothing waits for its removal.
 */
export async function settleAll({ context }: TestService, diary: Diary): Promise<void> {
  const { database } = context
  const later = inHours(context, 1)
  // A completion that is found wanting goes back to uploading, and expires in the next run.
  for (let run = 0; run < 3; run += 1) await runJobs(keepingNothing(later), { stuckMs: 0 })
  const states = await database.readStates([...diary.files.keys()])
  assert.equal(states.size, diary.files.size)
  for (const [id, { status }] of states) assert.ok(ENDS.includes(status), `${id} is ${status}`)
  assert.deepEqual(await database.listRemovals(10), [])
}

/** What was answered as complete is there, and what was answered as cancelled is not. */
export async function checkAnswers(
  service: TestService,
  diary: Diary,
  assets: Asset[],
): Promise<void> {
  const listed = new Set(assets.map(({ id }) => id))
  assert.equal(listed.size, assets.length)
  const lost = [...diary.completed].filter((id) => !listed.has(id))
  assert.deepEqual(lost, [], 'these were answered as complete')
  for (const id of diary.completed) {
    const { status, body } = await service.call('GET', `${API}/assets/${id}`)
    assert.deepEqual([status, body.data?.status], [200, 'ready'], id)
  }
  for (const id of diary.cancelled) {
    const { status } = await service.call('GET', `${API}/assets/${id}`)
    assert.equal(status, 404, `${id} was answered as cancelled`)
  }
}

/** Every byte is the one that was sent. */
export async function checkContents(
  service: TestService,
  diary: Diary,
  assets: Asset[],
): Promise<void> {
  for (const asset of assets) {
    const bytes = await download(service.baseUrl, asset.id)
    assert.equal(bytes.length, asset.bytes)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    assert.equal(sha256, diary.files.get(asset.id)?.sha256, asset.id)
  }
}

/** The counters are what the assets add up to. */
export async function checkUsage({ context }: TestService, assets: Asset[]): Promise<void> {
  const [books, ...others] = await context.database.compareUsage()
  assert.deepEqual(others, [])
  const stored = assets.reduce((sum, asset) => sum + asset.bytes, 0)
  assert.partialDeepStrictEqual(books?.actual, { stored, reserved: 0, assets: assets.length })
  assert.deepEqual(books?.counted, books?.actual)
}
