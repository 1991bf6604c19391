import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { aDeployment, aService } from '@stowage/testing/service/service'
import { requestSession, someBytes } from '@stowage/testing/service/upload'
import { openHarness } from '../interleavings/harness.ts'
import { TEST_CASES, type TestCase } from '../interleavings/test-cases.ts'
import { commandOf, saveResult } from '../reliability/result.ts'
import { aSample } from '../sample.ts'
import { runWithFault } from './run-with-fault.ts'
import { type S3Fault, startS3Proxy } from './s3-proxy.ts'

/* Runs on postgres+ceph. */

/** `FAULTS=all`: every fault in every call, both once and permanently. */
const runsAllFaults = process.env.FAULTS === 'all'
/** The share of the faults that one run injects. */
const SHARE = runsAllFaults ? 1 : 0.5

const error = (status: number, code: string): S3Fault => ({ kind: 'error', status, code })

const FAULTS: S3Fault[] = [
  error(500, 'InternalError'),
  { kind: 'error in a 200', code: 'InternalError' },
  { kind: 'not from S3' },
  { kind: 'cut after' },
  { kind: 'twice' },
]
const MORE_FAULTS: S3Fault[] = [
  error(403, 'AccessDenied'),
  { kind: 'cut before' },
  { kind: 'cut within' },
  error(503, 'SlowDown'),
  error(503, 'ServiceUnavailable'),
  error(400, 'RequestTimeout'),
  error(400, 'ExpiredToken'),
  error(403, 'RequestTimeTooSkewed'),
  error(403, 'SignatureDoesNotMatch'),
  error(404, 'NoSuchBucket'),
  error(409, 'OperationAborted'),
  error(400, 'InvalidPart'),
  error(400, 'EntityTooSmall'),
  error(400, 'InvalidRequest'),
  error(501, 'NotImplemented'),
  { kind: 'slow', ms: 300 },
  { kind: 'never' },
]

/** Reads have fewer faults to test, because they change nothing. */
const READS = /^(Head|List|Get)/

const READ_FAULTS: S3Fault[] = [
  error(500, 'InternalError'),
  error(404, 'NoSuchBucket'),
  { kind: 'not from S3' },
]

function faultsFor(operation: string): S3Fault[] {
  if (runsAllFaults) return [...FAULTS, ...MORE_FAULTS]
  return READS.test(operation) ? READ_FAULTS : FAULTS
}

const USUAL_CALLS = [
  'sign with a key',
  'complete',
  'cancel',
  'resume an upload whose object is stored',
  'removeObjects, a deleted asset',
]

/** The calls that `FAULTS=all` tests. */
const ALL_CALLS = [
  'sign',
  'sign with a key',
  'sign again with the same key',
  'complete',
  'complete again after an interrupted completion',
  'complete an upload whose object is stored',
  'cancel',
  'resume',
  'resume an upload that the storage lost',
  'resume an upload whose object is stored',
  'delete an upload',
  'download',
  'expireUploads',
  'expireUploads, object already stored',
  'finishCompletions',
  'finishCompletions, object already stored',
  'finishCompletions, part missing',
  'removeObjects, a cancelled upload',
  'removeObjects, a deleted asset',
  'removeOrphanedUploads, a cancelled upload',
  'removeOrphanedUploads, a ready asset whose upload is still open',
]

test('if the storage fails at any request, every response is correct, and no data is lost or orphaned', {
  skip: !isOnS3 && 'the storage is not S3',
  timeout: (runsAllFaults ? 120 : 20) * 60_000,
}, async (t) => {
  const { proxy, deployment, endpoint } = await behindProxy(t)
  const harness = await openHarness({ ...deployment.settings, STOWAGE_S3_ENDPOINT: endpoint })
  cleanUp(t, () => harness.close())
  const isChosen = aSample(t, SHARE)
  const failures: string[] = []
  let requests = 0
  let faults = 0
  /** The number of times that each response was returned, by call and by fault. */
  const responses = new Map<string, Map<string, number>>()

  async function requestsOf(testCase: TestCase): Promise<string[]> {
    const operations: string[] = []
    const fault = {
      begin: () =>
        proxy.injectFaults(({ operation }) => {
          operations.push(operation)
          return undefined
        }),
      end: () => proxy.injectFaults(() => undefined),
    }
    await runWithFault(harness, testCase, fault)
    return operations
  }

  async function injectAt(testCase: TestCase, index: number, fault: S3Fault, isPermanent: boolean) {
    let count = -1
    const { duringFault } = await runWithFault(harness, testCase, {
      begin: () =>
        proxy.injectFaults(() => {
          count += 1
          return count === index || (isPermanent && count > index) ? fault : undefined
        }),
      end: () => proxy.injectFaults(() => undefined),
      allows: ({ code }) => isRefusal(fault) && code === 'completion_refused',
    })
    for (const row of [testCase.name, describe(fault)]) {
      const seen = responses.get(row) ?? new Map<string, number>()
      seen.set(duringFault, (seen.get(duringFault) ?? 0) + 1)
      responses.set(row, seen)
    }
  }

  /** The values of `isPermanent` to test. With storage that never responds, each later request would time out. */
  function durationsOf({ kind }: S3Fault): boolean[] {
    return runsAllFaults && kind !== 'never' ? [false, true] : [false]
  }

  for (const name of runsAllFaults ? ALL_CALLS : USUAL_CALLS) {
    const testCase = TEST_CASES.find((one) => one.name === name)
    assert.ok(testCase, name)
    const operations = await requestsOf(testCase)
    requests += operations.length
    for (const [index, operation] of operations.entries()) {
      for (const fault of faultsFor(operation)) {
        // Only the usual calls are tested, because the timeout is 10 s, and 60 s for a completion.
        if (fault.kind === 'never' && !USUAL_CALLS.includes(name)) continue
        for (const isPermanent of durationsOf(fault)) {
          if (!isChosen()) continue
          faults += 1
          try {
            await injectAt(testCase, index, fault, isPermanent)
          } catch (failure) {
            const what = `${name}: ${operation} (request ${index}${isPermanent ? ' and later' : ''})`
            failures.push(`${what} × ${JSON.stringify(fault)}: ${failure}`)
          }
        }
      }
    }
  }
  t.diagnostic(`${requests} requests to the storage, ${faults} faults`)
  assert.deepEqual(failures, [])
  await harness.close()
  await deployment.backdoor.assertHoldsOnly([], 10)
  await saveResult('s3-calls', {
    command: commandOf(import.meta.filename, { FAULTS: process.env.FAULTS }),
    rows: {
      'Requests to the storage': String(requests),
      Faults: String(faults),
      ...Object.fromEntries(
        [...responses]
          .toSorted(([one], [other]) => Number(isFault(one)) - Number(isFault(other)))
          .map(([row, seen]) => [row, seenText(seen)]),
      ),
    },
  })
})

test('while the storage is slower than its limit, /readyz reports it, and the instance stays ready', {
  skip: !isOnS3 && 'the storage is not S3',
}, async (t) => {
  const { proxy, deployment, endpoint } = await behindProxy(t)
  const service = await aService(t, { STOWAGE_S3_ENDPOINT: endpoint }, deployment)
  const readDegraded = async (): Promise<string[] | undefined> => {
    const { status, body } = await service.call('GET', '/readyz')
    assert.deepEqual([status, body.status], [200, 'ready'])
    return body.degraded
  }
  const requestThree = () =>
    Promise.all([1, 2, 3].map(() => requestSession(service.baseUrl, { bytes: someBytes(1) })))
  proxy.injectFaults(() => ({ kind: 'slow', ms: 500 }))
  await requestThree()
  assert.equal(await readDegraded(), undefined)
  const { promise, resolve } = Promise.withResolvers<void>()
  proxy.injectFaults(({ operation }) =>
    operation === 'CreateMultipartUpload' ? { kind: 'held', until: promise } : undefined,
  )
  const requests = requestThree()
  await until('a call that is running is reported', async () => {
    return /^the storage is slow: createUpload has been running/.test(
      (await readDegraded())?.[0] ?? '',
    )
  })
  resolve()
  await requests
  assert.match(
    (await readDegraded())?.[0] ?? '',
    /^the storage is slow: createUpload took \d+\.\d s$/,
  )
})

/** A deployment, and a proxy in front of its storage. */
async function behindProxy(t: TestContext) {
  const proxy = await startS3Proxy(process.env.STOWAGE_TEST_S3 ?? '')
  cleanUp(t, () => proxy.close())
  const deployment = await aDeployment(t, { isReliable: true })
  return { proxy, deployment, endpoint: `http://127.0.0.1:${proxy.port}` }
}

function isFault(row: string): boolean {
  return [...FAULTS, ...MORE_FAULTS].some((fault) => describe(fault) === row)
}

function describe(fault: S3Fault): string {
  switch (fault.kind) {
    case 'error':
      return `HTTP ${fault.status} ${fault.code}`
    case 'error in a 200':
      return `HTTP 200 with the error ${fault.code}`
    case 'not from S3':
      return 'HTTP 200 with an unrelated HTML page'
    case 'cut before':
      return 'The connection breaks before the request arrives'
    case 'cut after':
      return 'The connection breaks before the response'
    case 'cut within':
      return 'The connection breaks during the response'
    case 'twice':
      return 'The storage receives the request twice'
    case 'slow':
      return `The response takes ${fault.ms} ms longer`
    case 'held':
      return 'The request waits'
    case 'never':
      return 'The storage never responds'
  }
}

function seenText(seen: Map<string, number>): string {
  return [...seen].map(([response, count]) => `${response} (${count})`).join(', ')
}

/** Whether the storage refuses the request, so that the service may refuse a completion. */
function isRefusal(fault: S3Fault): boolean {
  return fault.kind === 'error' && fault.status < 500
}
