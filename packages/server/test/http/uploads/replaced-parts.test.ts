import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { seedOf } from '@stowage/testing/machine/random'
import { runJobs } from '@stowage/testing/service/jobs'
import { aDeployment, aService, type TestService } from '@stowage/testing/service/service'
import { API, download, putPart } from '@stowage/testing/service/upload'
import { type RaceResult, raceReplacedPart } from '../../support/replaced-parts.ts'

/* Runs on sqlite+disk and postgres+ceph. */

/** Set `RACE_UPLOADS=20000` to find rare failures. */
const UPLOADS = Number(process.env.RACE_UPLOADS ?? (isOnS3 ? 12 : 25))
const SEED = seedOf('RACE_SEED')
const CONCURRENCY = 6
/** Makes two parts, of which the second is shorter. */
const SETTINGS = { STOWAGE_CHUNK_SIZE: '10' }

test('if a part is replaced during concurrent completions, the file is ready and its upload closed, even after a restart', async (t) => {
  t.diagnostic(`RACE_UPLOADS=${UPLOADS} RACE_SEED=${SEED}`)
  const deployment = await aDeployment(t, { isReliable: true })
  const service = await aService(t, SETTINGS, deployment)
  const results: RaceResult[] = []
  const failures: unknown[] = []
  await runConcurrently(UPLOADS, async (index) => {
    try {
      results.push(await raceReplacedPart(service.baseUrl, SEED + index))
    } catch (error) {
      failures.push(error)
    }
  })
  t.diagnostic(JSON.stringify(Object.fromEntries(sumOf(results))))
  assert.deepEqual(failures.slice(0, 3), [], `${failures.length} uploads failed`)
  const unexpected = [...sumOf(results).keys()].filter((response) => !EXPECTED.has(response))
  assert.deepEqual(unexpected, [])
  await checkAll(service, results)
  await checkClosed(results)
  await runJobs(service.context)
  await service.close()
  const restarted = await aService(t, SETTINGS, deployment)
  await runJobs(restarted.context)
  await checkAll(restarted, results)
  const ids = results.map(({ session }) => ({ id: session.id, bytes: 15 }))
  await restarted.close()
  await deployment.backdoor.assertHoldsOnly(ids, 10)
})

/** A part is refused after the completion, and a completion is refused if one of its ETags is outdated. */
const EXPECTED = new Set(['put 200', 'put 404', 'complete 200', 'complete 422', 'resume 200'])

/** Fails unless each asset is ready and has the sent bytes, and no upload is open. */
async function checkAll(service: TestService, results: RaceResult[]): Promise<void> {
  const lost: string[] = []
  await runConcurrently(results.length, async (index) => {
    const { session, contents } = results[index] as RaceResult
    const asset = await service.call('GET', `${API}/assets/${session.id}`)
    if (asset.body.data?.status !== 'ready') lost.push(`${session.id} is not ready`)
    const bytes = await download(service.baseUrl, session.id).catch(() => undefined)
    const [first, second] = contents
    // Only the first part was replaced during the completions, so it may have either content.
    const isWhole = [first, second].some((content) =>
      bytes?.subarray(0, 10).equals(content.subarray(0, 10)),
    )
    if (!isWhole || !bytes?.subarray(10).equals(first.subarray(10))) {
      lost.push(`${session.id} has other bytes`)
    }
  })
  assert.deepEqual(lost.slice(0, 5), [], `${lost.length} of ${results.length} uploads are lost`)
  assert.deepEqual(await Array.fromAsync(service.context.storage.listUploads()), [])
}

/** The signed URLs are still valid, but the storage refuses further parts. */
async function checkClosed(results: RaceResult[]): Promise<void> {
  for (const { session, contents } of results.slice(-10)) {
    const response = await putPart(session.urls[0]?.url ?? '', contents[0].subarray(0, 10))
    await response.arrayBuffer()
    assert.equal(response.status, 404)
  }
}

function sumOf(results: RaceResult[]): Map<string, number> {
  const sum = new Map<string, number>()
  for (const { responses } of results) {
    for (const [response, count] of responses) sum.set(response, (sum.get(response) ?? 0) + count)
  }
  return sum
}

async function runConcurrently(
  count: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  const indexes = Array.from({ length: count }, (_, index) => index).values()
  const worker = async () => {
    for (const index of indexes) await work(index)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
}
