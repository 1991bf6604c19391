import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { UploadSession } from '@stowage/protocol'
import { aRandom } from '@stowage/testing/machine/random'
import { until } from '@stowage/testing/machine/until'
import {
  API,
  callUrl,
  cancel,
  complete,
  putParts,
  requestSession,
  someBytes,
} from '@stowage/testing/service/upload'
import { assertLoggedErrors, checkFinalState } from './checks.ts'
import { type Attempt, noOutcomes, type Outcomes, type Step, uploadUntilOver } from './clients.ts'
import { type RestartableEngine, type SharedEngines, withSharedEngines } from './shared-engines.ts'

const CLIENTS = 4
const MAX_CALL_MS = 10_000
const RECOVERY_MS = 15_000

interface Case {
  engine: 'database' | 'storage'
  outage: RestartableEngine
  /** The steps that fail during the outage. */
  failingSteps: Step[]
  /** The expected status of each path during the outage. */
  expectedStatuses: Record<string, number>
  /** Whether the logs of the instances show that jobs needed the engine and failed. */
  haveJobsFailed(logs: string[]): boolean
}

await withSharedEngines('outages', ({ postgres, ceph, ...engines }) => {
  const cases: Case[] = [
    {
      engine: 'database',
      outage: postgres,
      failingSteps: ['request', 'resume', 'complete', 'cancel', 'delete', 'show', 'list'],
      expectedStatuses: {
        assets: 503,
        'assets/:id': 503,
        'assets/:id/download': 503,
        account: 503,
      },
      haveJobsFailed: (logs) => logs.every((log) => log.includes('the job expireUploads failed')),
    },
    {
      engine: 'storage',
      outage: ceph,
      failingSteps: ['request', 'resume', 'complete'],
      expectedStatuses: {
        assets: 200,
        'assets/:id': 200,
        'assets/:id/download': 302,
        account: 200,
      },
      // An instance removes the parts for all of them.
      haveJobsFailed: (logs) => logs.some((log) => log.includes('could not remove the upload')),
    },
  ]
  for (const testCase of cases) {
    test(
      `during an outage of the ${testCase.engine}, requests that need it return 503 within 10 seconds; afterward they succeed`,
      {
        timeout: 3 * 60_000,
      },
      (t) => checkOutage(t, { postgres, ceph, ...engines }, testCase),
    )
  }
})

async function checkOutage(t: TestContext, engines: SharedEngines, testCase: Case): Promise<void> {
  const deployment = await engines.deploy(t)
  const instances = [await deployment.start(), await deployment.start()] as const
  const attempts: Attempt[] = []
  const outcomes = noOutcomes()
  let isOver = false
  const clients = Array.from({ length: CLIENTS }, (_, index) =>
    uploadUntilOver({
      name: `client${index}`,
      baseUrls: () => [instances[0].baseUrl, instances[1].baseUrl],
      random: aRandom(index),
      attempts,
      outcomes,
      isOver: () => isOver,
    }),
  )
  const clientsDone = Promise.all(clients).finally(() => {
    isOver = true
  })
  const isRefused = ({ status }: Attempt) => status === 503
  const completed = (count: number) => () => isOver || outcomes.completed.size >= count
  const interrupt = async () => {
    await until('uploads are completed', completed(20), 60_000)
    const open = await anOpenUpload(instances[0].baseUrl, outcomes)
    const unwanted = await anOpenUpload(instances[0].baseUrl, outcomes)
    const before = instances.map(({ output }) => output().stderr.length)
    await testCase.outage.stop()
    const stoppedAt = performance.now()
    let restartingAt = stoppedAt
    try {
      // Without the storage, the upload ends, but a job must remove its parts.
      const { status } = await cancel(instances[0].baseUrl, unwanted)
      assert.equal(status === 503, testCase.failingSteps.includes('cancel'))
      outcomes[status === 503 ? 'abandoned' : 'cancelled'].add(unwanted.id)
      const kept = [...outcomes.completed].find((id) => !outcomes.deleted.has(id)) ?? ''
      await until('jobs and calls of the clients have failed', async () => {
        for (const { baseUrl } of instances) await checkRequests(baseUrl, testCase, { kept, open })
        const logs = instances.map(({ output }, index) => output().stderr.slice(before[index]))
        const haveFailed =
          testCase.haveJobsFailed(logs) && attempts.filter(isRefused).length >= CLIENTS
        return isOver || haveFailed
      })
      restartingAt = performance.now()
    } finally {
      await testCase.outage.start()
    }
    const restartedAt = performance.now()
    // The time for 20 uploads depends on the machine, so `checkAttempts` checks how long requests are still refused.
    await until('uploads continue', completed(outcomes.completed.size + 20))
    for (const { baseUrl } of instances) {
      const isReady = async () => (await callUrl(`${baseUrl}/readyz`)).status === 200
      await until('the instance is ready', isReady)
      assert.equal((await complete(baseUrl, open)).status, 200)
    }
    const end = `"the ${testCase.engine} is available again"`
    for (const { output } of instances) {
      await until('the end of the outage is logged', () => output().stderr.includes(end))
    }
    outcomes.completed.add(open.id)
    isOver = true
    return { stoppedAt, restartingAt, restartedAt }
  }
  const [times] = await Promise.all([interrupt(), clientsDone])
  for (const instance of instances) assert.equal(await instance.stop('SIGTERM'), 0)

  t.diagnostic(describe(attempts, times.restartedAt))
  checkAttempts(attempts, testCase, times)
  for (const instance of instances) assertLoggedErrors(instance, ['EngineUnavailable'])
  await checkFinalState(t, deployment, outcomes)
}

/** An upload whose parts are all stored, but which is not completed. */
async function anOpenUpload(baseUrl: string, outcomes: Outcomes): Promise<UploadSession> {
  const bytes = someBytes(1000)
  const session = await requestSession(baseUrl, { bytes })
  await putParts(session, bytes)
  outcomes.files.set(session.id, createHash('sha256').update(bytes).digest('hex'))
  return session
}

/** Checks the responses during the outage. */
async function checkRequests(
  baseUrl: string,
  { engine, expectedStatuses }: Case,
  { kept, open }: { kept: string; open: UploadSession },
): Promise<void> {
  assert.equal((await callUrl(`${baseUrl}/healthz`)).status, 200)
  const ready = await callUrl(`${baseUrl}/readyz`)
  assert.equal(ready.status, 503)
  const checks = { database: 'ok', storage: 'ok', [engine]: 'unavailable' }
  assert.deepEqual(ready.body.checks, checks)
  for (const [path, status] of Object.entries(expectedStatuses)) {
    const response = await callUrl(`${baseUrl}${API}/${path.replace(':id', kept)}`)
    assert.equal(response.status, status, `${path}: ${JSON.stringify(response.body)}`)
  }
  for (const { status, headers, body } of [
    await complete(baseUrl, open),
    await callUrl(`${baseUrl}${API}/assets/${open.id}/upload`),
  ]) {
    assert.deepEqual([status, body.code], [503, `${engine}_unavailable`])
    assert.ok(Number(headers.get('retry-after')) > 0)
  }
}

function checkAttempts(
  attempts: Attempt[],
  { engine, failingSteps }: Case,
  times: { stoppedAt: number; restartingAt: number; restartedAt: number },
): void {
  const calls = attempts.filter(({ step }) => step !== 'part')
  let refused = 0
  for (const call of calls) {
    const { step, startedAt, endedAt = Number.POSITIVE_INFINITY, status, code, retryAfter } = call
    const details = JSON.stringify(call)
    assert.ok(status !== undefined, `the connection broke: ${details}`)
    assert.ok(endedAt - startedAt < MAX_CALL_MS, `the call took too long: ${details}`)
    if (status === 503) {
      refused += 1
      assert.equal(code, `${engine}_unavailable`, details)
      assert.ok(Number(retryAfter) > 0, details)
      assert.ok(endedAt < times.restartedAt + RECOVERY_MS, `refused after the outage: ${details}`)
    }
    const isDuringOutage = startedAt > times.stoppedAt && endedAt < times.restartingAt
    if (isDuringOutage) assert.equal(status === 503, failingSteps.includes(step), details)
  }
  assert.ok(refused >= CLIENTS, `${refused} calls were refused`)
}

function describe(attempts: Attempt[], restartedAt: number): string {
  const calls = attempts.filter(({ step }) => step !== 'part')
  const refused = calls.filter(({ status }) => status === 503)
  const lasted = calls.map(({ startedAt, endedAt = 0 }) => endedAt - startedAt)
  const last = Math.max(0, ...refused.map(({ endedAt = 0 }) => endedAt - restartedAt))
  const steps = [...new Set(refused.map(({ step }) => step))].toSorted()
  return `${refused.length} of ${calls.length} calls were refused (${steps.join(', ')}), the last ${Math.round(last)} ms after the outage; the longest call took ${Math.round(Math.max(...lasted))} ms`
}
