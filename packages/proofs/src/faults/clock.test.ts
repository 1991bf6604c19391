import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { aDeployment } from '@stowage/testing/service/service'
import { openHarness } from '../interleavings/harness.ts'
import { TEST_CASES } from '../interleavings/test-cases.ts'
import { runWithFault } from './run-with-fault.ts'

const DAY_MS = 24 * 3_600_000

/** Much longer than uploads are kept. */
const SHIFTS_DAYS = [-3650, 3650]

for (const days of SHIFTS_DAYS) {
  test(`while the clock of an instance is off by ${days} days, no upload expires or is lost`, async (t) => {
    const deployment = await aDeployment(t, { isReliable: true })
    const harness = await openHarness(deployment.settings)
    cleanUp(t, () => harness.close())
    const failures: string[] = []
    for (const testCase of TEST_CASES) {
      const fault = {
        begin() {
          harness.shift.ms = days * DAY_MS
        },
        end() {
          harness.shift.ms = 0
        },
      }
      try {
        await runWithFault(harness, testCase, fault)
      } catch (failure) {
        failures.push(`${testCase.name}: ${failure}`)
      }
    }
    assert.equal(failures.length, 0, failures.join('\n\n'))
    await harness.close()
    await deployment.backdoor.assertHoldsOnly([], 10)
  })
}
