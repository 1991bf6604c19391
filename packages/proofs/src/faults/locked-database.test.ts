import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { areEmbedded } from '@stowage/testing/engines/test-engines'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { aDeployment } from '@stowage/testing/service/service'
import { assertUsageConsistent } from '@stowage/testing/service/shop'
import { type Harness, openHarness } from '../interleavings/harness.ts'
import { deleteEverything, operatorOf, prepare } from '../interleavings/run-interleaving.ts'
import { TEST_CASES } from '../interleavings/test-cases.ts'
import { openClients } from '../model/clients.ts'
import type { Event } from '../model/observation.ts'
import { runWithFault } from './run-with-fault.ts'

const skip = !areEmbedded && 'the engines are not SQLite and disk'
/** How long a backup or another tool holds the lock. */
const HELD_MS = 40

test('while another program holds the lock of the database, every call waits and then succeeds', {
  skip,
}, async (t) => {
  const { harness, other } = await aHarness(t)
  const failures: string[] = []
  for (const testCase of TEST_CASES) {
    let released = Promise.resolve()
    const fault = {
      begin() {
        other.exec('begin immediate')
        const { promise, resolve } = Promise.withResolvers<void>()
        released = promise
        setTimeout(() => resolve(other.exec('rollback')), HELD_MS)
      },
      end: () => released,
    }
    try {
      const { duringFault } = await runWithFault(harness, testCase, fault)
      assert.doesNotMatch(duringFault, /unavailable/)
    } catch (failure) {
      failures.push(`${testCase.name}: ${failure}`)
    }
  }
  assert.equal(failures.length, 0, failures.join('\n\n'))
})

test('calls that wait too long for the lock return 503, change nothing, and succeed once it is free', {
  skip,
}, async (t) => {
  const { harness, other } = await aHarness(t)
  const calls = ['complete', 'cancel', 'delete an asset', 'resize', 'rename', 'attach']
  const testCases = TEST_CASES.filter(({ name }) => calls.includes(name))
  const prepared = []
  for (const testCase of testCases) {
    const clients = openClients(harness.account, operatorOf(harness))
    await prepare(harness, clients, testCase)
    prepared.push(() => clients.perform(testCase.call, 0))
  }
  other.exec('begin immediate')
  const refused = (await Promise.all(prepared.map((perform) => perform()))).flat()
  const codes = refused.map(({ seen }: Event) => [seen.status, seen.code])
  assert.deepEqual(
    codes,
    testCases.map(() => [503, 'database_unavailable']),
  )
  other.exec('rollback')
  const succeeded = (await Promise.all(prepared.map((perform) => perform()))).flat()
  assert.ok(
    succeeded.every(({ seen }: Event) => seen.status < 300),
    JSON.stringify(succeeded),
  )
  await deleteEverything(harness)
  await assertUsageConsistent(harness)
})

async function aHarness(t: TestContext): Promise<{ harness: Harness; other: DatabaseSync }> {
  const deployment = await aDeployment(t)
  const harness = await openHarness(deployment.settings)
  cleanUp(t, () => harness.close())
  const other = new DatabaseSync(join(deployment.folder, 'stowage.db'))
  cleanUp(t, () => other.close())
  return { harness, other }
}
