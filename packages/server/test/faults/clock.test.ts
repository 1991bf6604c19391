import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { aDeployment } from '@stowage/testing/service/deployment'
import { SCENES } from '../interleavings/test-cases.ts'
import { openStage } from '../interleavings/harness.ts'
import { playFault } from './play-fault.ts'

const DAY_MS = 24 * 3_600_000

/** Far beyond the time that uploads are kept. */
const SHIFTS = [-3650, 3650]

for (const days of SHIFTS) {
  test(`while the clock of an instance is off by ${days} days no call ends or loses an upload`, async (t) => {
    const deployment = await aDeployment(t, { isReliable: true })
    const stage = await openStage(deployment.settings)
    cleanUp(t, () => stage.close())
    const failures: string[] = []
    for (const scene of SCENES) {
      const fault = {
        begin() {
          stage.shift.ms = days * DAY_MS
        },
        end() {
          stage.shift.ms = 0
        },
      }
      try {
        await playFault(stage, scene, fault)
      } catch (failure) {
        failures.push(`${scene.name}: ${failure}`)
      }
    }
    assert.equal(failures.length, 0, failures.join('\n\n'))
    await stage.close()
    await deployment.backdoor.assertHoldsOnly([], 10)
  })
}
