import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { type S3Fault, startS3Proxy } from '@stowage/testing/proxies/s3-proxy'
import { aDeployment } from '@stowage/testing/service/deployment'
import { openHarness } from '../interleavings/harness.ts'
import { TEST_CASES, type TestCase } from '../interleavings/test-cases.ts'
import type { Observation } from '../model/observation.ts'
import { keepResult } from '../reliability/result.ts'
import { playFault } from './play-fault.ts'

/** `FAULTS=all`: every error in every call, and each also while it lasts. */
const isAll = process.env.FAULTS === 'all'

const error = (status: number, code: string): S3Fault => ({ kind: 'error', status, code })

const FAULTS: S3Fault[] = [
  error(500, 'InternalError'),
  { kind: 'error in a 200', code: 'InternalError' },
  { kind: 'nonsense' },
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

/** Reading changes nothing, whether it is done once, twice or not at all. */
const READING = /^(Head|List|Get)/

const READING_FAULTS: S3Fault[] = [
  error(500, 'InternalError'),
  error(404, 'NoSuchBucket'),
  { kind: 'nonsense' },
]

function faultsFor(operation: string): S3Fault[] {
  if (isAll) return [...FAULTS, ...MORE_FAULTS]
  return READING.test(operation) ? READING_FAULTS : FAULTS
}

const USUAL_CALLS = [
  'sign with a key',
  'complete',
  'cancel',
  'resume an upload whose object is stored',
  'removeObjects, a deleted asset',
]

/** The calls that ask the store for something, each once. */
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
]

test('whatever the store answers to whichever request, the client is told the truth, and afterwards all is well', {
  skip: !isOnS3 && 'the storage is not S3',
  timeout: (isAll ? 120 : 20) * 60_000,
}, async (t) => {
  const proxy = await startS3Proxy(process.env.STOWAGE_TEST_S3 ?? '')
  cleanUp(t, () => proxy.close())
  const deployment = await aDeployment(t, { isReliable: true })
  const endpoint = `http://127.0.0.1:${proxy.port}`
  const harness = await openHarness({ ...deployment.settings, STOWAGE_S3_ENDPOINT: endpoint })
  cleanUp(t, () => harness.close())
  const failures: string[] = []
  let requests = 0
  let plays = 0
  /** How often each answer was given, by call and by fault. */
  const answers = new Map<string, Map<string, number>>()

  async function requestsOf(testCase: TestCase): Promise<string[]> {
    const made: string[] = []
    const fault = {
      begin: () =>
        proxy.injectFaults(({ operation }) => {
          made.push(operation)
          return undefined
        }),
      end: () => proxy.injectFaults(() => undefined),
    }
    await playFault(harness, testCase, fault)
    return made
  }

  async function play(testCase: TestCase, index: number, fault: S3Fault, lasting: boolean) {
    let count = -1
    const during = await playFault(harness, testCase, {
      begin: () =>
        proxy.injectFaults(() => {
          count += 1
          return count === index || (lasting && count > index) ? fault : undefined
        }),
      end: () => proxy.injectFaults(() => undefined),
      excuses: (answer) => isRefusal(fault) && saysRefused(answer),
    })
    for (const row of [testCase.name, describe(fault)]) {
      const seen = answers.get(row) ?? new Map<string, number>()
      seen.set(during.during, (seen.get(during.during) ?? 0) + 1)
      answers.set(row, seen)
    }
  }

  /** Whether the fault lasts: what never answers takes long enough without that. */
  function lastings({ kind }: S3Fault): boolean[] {
    return isAll && kind !== 'never' ? [false, true] : [false]
  }

  for (const name of isAll ? ALL_CALLS : USUAL_CALLS) {
    const testCase = TEST_CASES.find((one) => one.name === name)
    assert.ok(testCase, name)
    const made = await requestsOf(testCase)
    requests += made.length
    for (const [index, operation] of made.entries()) {
      for (const fault of faultsFor(operation)) {
        // It takes 10 s, and 60 s for a completion.
        if (fault.kind === 'never' && !USUAL_CALLS.includes(name)) continue
        for (const lasting of lastings(fault)) {
          plays += 1
          try {
            await play(testCase, index, fault, lasting)
          } catch (failure) {
            const what = `${name}: ${operation} (request ${index}${lasting ? ' and later' : ''})`
            failures.push(`${what} × ${JSON.stringify(fault)}: ${failure}`)
          }
        }
      }
    }
  }
  t.diagnostic(`${requests} requests to the store, ${plays} faults`)
  assert.deepEqual(failures, [])
  await harness.close()
  await deployment.backdoor.assertHoldsOnly([], 10)
  await keepResult('s3-calls', {
    command: `${isAll ? 'FAULTS=all ' : ''}npx node packages/testing/src/stages/on-engines.ts postgres+ceph packages/server/test/faults/s3-calls.test.ts`,
    rows: {
      'Requests to the store': String(requests),
      Faults: String(plays),
      ...Object.fromEntries(
        [...answers]
          .toSorted(([one], [other]) => Number(isFault(one)) - Number(isFault(other)))
          .map(([row, seen]) => [row, seenText(seen)]),
      ),
    },
  })
})

function isFault(row: string): boolean {
  return [...FAULTS, ...MORE_FAULTS].some((fault) => describe(fault) === row)
}

function describe(fault: S3Fault): string {
  switch (fault.kind) {
    case 'error':
      return `HTTP ${fault.status} ${fault.code}`
    case 'error in a 200':
      return `HTTP 200 with the error ${fault.code}`
    case 'nonsense':
      return 'HTTP 200 with a page of something else'
    case 'cut before':
      return 'The connection breaks before the request arrives'
    case 'cut after':
      return 'The connection breaks before the answer'
    case 'cut within':
      return 'The connection breaks within the answer'
    case 'twice':
      return 'The store gets the request twice'
    case 'slow':
      return `The answer takes ${fault.ms} ms longer`
    case 'never':
      return 'The store never answers'
  }
}

function seenText(seen: Map<string, number>): string {
  return [...seen].map(([answer, count]) => `${answer} (${count})`).join(', ')
}

/** The store answers with a refusal that it would repeat. */
function isRefusal(fault: S3Fault): boolean {
  return fault.kind === 'error' && fault.status < 500
}

function saysRefused({ code }: Observation): boolean {
  return code === 'completion_refused'
}
