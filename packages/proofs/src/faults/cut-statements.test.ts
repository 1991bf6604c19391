import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { aDeployment } from '@stowage/testing/service/service'
import { openHarness } from '../interleavings/harness.ts'
import { TEST_CASES, type TestCase } from '../interleavings/test-cases.ts'
import { commandOf, saveResult } from '../reliability/result.ts'
import { aSample } from '../sample.ts'
import { type Moment, startCuttingProxy } from './cutting-proxy.ts'
import { runWithFault } from './run-with-fault.ts'

/* Runs on postgres+disk. */

const { STOWAGE_TEST_POSTGRES: server } = process.env
/** No message has this number, so the connection is not cut. */
const NO_CUT = 0
/** `FAULTS=all`: every call, not only the usual ones. */
const runsAllCalls = process.env.FAULTS === 'all'
const USUAL_CALLS = [
  'sign with a key',
  'complete',
  'cancel',
  'resume an upload whose object is stored',
  'delete an upload',
  'delete an asset',
  'resize',
  'expireUploads',
  'finishCompletions',
  'removeObjects, a cancelled upload',
]
/** The share of the cuts that one run makes. */
const SHARE = runsAllCalls ? 1 : 0.15
const CALLS = TEST_CASES.filter(({ name }) => runsAllCalls || USUAL_CALLS.includes(name))

test('if the database connection breaks at any message, every response is correct, and no data is lost or orphaned', {
  skip: server === undefined && 'the database is not PostgreSQL',
  timeout: Number(process.env.TEST_TIMEOUT_MS ?? 10 * 60_000),
}, async (t) => {
  const deployment = await aDeployment(t, { isReliable: true })
  const url = new URL(deployment.settings.STOWAGE_DATABASE ?? '')
  const proxy = await startCuttingProxy(Number(url.port))
  cleanUp(t, () => proxy.close())
  url.port = String(proxy.port)
  const harness = await openHarness({ ...deployment.settings, STOWAGE_DATABASE: url.href })
  cleanUp(t, () => harness.close())
  const isChosen = aSample(t, SHARE)
  const failures: string[] = []
  let messageCount = 0
  let cuts = 0

  async function cut(testCase: TestCase, number: number, moment: Moment): Promise<number> {
    let count = 0
    await runWithFault(harness, testCase, {
      begin: () => proxy.cutAt(number, moment),
      end() {
        count = proxy.stopCutting()
      },
    })
    return count
  }

  for (const testCase of CALLS) {
    const messages = await cut(testCase, NO_CUT, 'before')
    messageCount += messages
    for (let number = 1; number <= messages; number += 1) {
      for (const moment of ['before', 'after'] as const) {
        if (!isChosen()) continue
        cuts += 1
        try {
          await cut(testCase, number, moment)
        } catch (failure) {
          failures.push(`${testCase.name}: ${moment} message ${number} of ${messages}: ${failure}`)
        }
      }
    }
  }
  t.diagnostic(`${messageCount} messages to the database, ${cuts} cuts`)
  assert.deepEqual(failures, [])
  await harness.close()
  await deployment.backdoor.assertHoldsOnly([], 10)
  await saveResult('cut-statements', {
    command: commandOf(import.meta.filename, { FAULTS: process.env.FAULTS }),
    rows: {
      'Calls and jobs': String(CALLS.length),
      'Messages to PostgreSQL': String(messageCount),
      'Connections cut, before or after each message': String(cuts),
      'Incorrect responses, lost or orphaned data': '0',
    },
  })
})
