import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { areEmbedded, diskBackdoor } from '@stowage/testing/engines/test-engines'
import { aFolder, aSmallDisk, cleanUp, type SmallDisk } from '@stowage/testing/machine/clean-up'
import { skipUnlessCi } from '@stowage/testing/machine/programs'
import { openHarness } from '../interleavings/harness.ts'
import { TEST_CASES } from '../interleavings/test-cases.ts'
import { commandOf, saveResult } from '../reliability/result.ts'
import { type Fault, runWithFault } from './run-with-fault.ts'

const run = promisify(execFile)
const FREES_SPACE = /^(cancel|delete)/
const skip = !areEmbedded && 'the engines are not SQLite and disk'

test(
  'while the disk is full, no call has a partial effect, and the service recovers once there is space',
  {
    skip,
  },
  (t) =>
    onDisk(t, async (disk) => {
      let freeSpace = async () => {}
      await runAll(
        t,
        { name: 'full-disk', folder: disk.folder },
        {
          async begin() {
            freeSpace = await disk.fill()
          },
          end: () => freeSpace(),
        },
      )
    }),
)

test('while the storage is read-only, no call has a partial effect, and the service recovers once it is writable', {
  skip,
}, async (t) => {
  const folder = await aFolder(t)
  await mkdir(join(folder, 'storage'))
  const storage = join(folder, 'storage')
  try {
    await run('mount', ['-t', 'tmpfs', 'stowage-test', storage])
  } catch (error) {
    return skipUnlessCi(t, `cannot mount a disk: ${error}`)
  }
  cleanUp(t, () => run('umount', ['--lazy', storage]))
  const remount = (mode: string) => run('mount', ['-o', `remount,${mode}`, storage])
  await runAll(
    t,
    { name: 'read-only-storage', folder },
    {
      begin: async () => void (await remount('ro')),
      end: async () => void (await remount('rw')),
    },
  )
})

async function onDisk(t: TestContext, work: (disk: SmallDisk) => Promise<void>): Promise<void> {
  const disk = await aSmallDisk(t, 20)
  if (typeof disk === 'string') return skipUnlessCi(t, disk)
  await work(disk)
}

async function runAll(
  t: TestContext,
  { name, folder }: { name: string; folder: string },
  fault: Fault,
): Promise<void> {
  const harness = await openHarness({ STOWAGE_DATA: folder, STOWAGE_DISK_RESERVE: '0' })
  cleanUp(t, () => harness.close())
  const failures: string[] = []
  const responses: Record<string, string> = {}
  for (const testCase of TEST_CASES) {
    await harness.context.database.reserveDiskSpace()
    try {
      responses[testCase.name] = (await runWithFault(harness, testCase, fault)).duringFault
    } catch (failure) {
      failures.push(`${testCase.name}: ${failure}`)
    }
  }
  t.diagnostic(JSON.stringify(responses))
  assert.deepEqual(failures, [])
  const refused = Object.entries(responses).filter(
    ([call, response]) => FREES_SPACE.test(call) && /^5/.test(response),
  )
  assert.deepEqual(refused, [], 'calls that free space succeed')
  await harness.close()
  await diskBackdoor(folder).assertHoldsOnly([], 10)
  await saveResult(name, {
    command: commandOf(import.meta.filename),
    rows: responses,
  })
}
