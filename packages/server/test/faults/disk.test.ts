import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { diskBackdoor } from '@stowage/testing/engines/storage-backdoor'
import { areEmbedded } from '@stowage/testing/engines/test-engines'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { skipUnlessCi } from '@stowage/testing/machine/skip-unless-ci'
import { aSmallDisk, type SmallDisk } from '@stowage/testing/machine/small-disk'
import { openHarness } from '../interleavings/harness.ts'
import { TEST_CASES } from '../interleavings/test-cases.ts'
import { keepResult } from '../reliability/result.ts'
import { type Fault, playFault } from './play-fault.ts'

const run = promisify(execFile)
const FREES_SPACE = /^(cancel|delete)/
const skip = !areEmbedded && 'the engines are not SQLite and disk'

test(
  'while the disk is full no call does half of its work, and once there is room all is well',
  {
    skip,
  },
  (t) =>
    onDisk(t, async (disk) => {
      let giveBack = async () => {}
      await playAll(
        t,
        { name: 'full-disk', folder: disk.folder },
        {
          async begin() {
            giveBack = await disk.fill()
          },
          end: () => giveBack(),
        },
      )
    }),
)

test('while the storage is read-only no call does half of its work, and once it is writable all is well', {
  skip,
}, async (t) => {
  const folder = await aFolder(t)
  await mkdir(join(folder, 'storage'))
  const storage = join(folder, 'storage')
  try {
    await run('mount', ['-t', 'tmpfs', 'stowage-test', storage])
  } catch (error) {
    return skipUnlessCi(t, `no disk can be mounted: ${error}`)
  }
  cleanUp(t, () => run('umount', ['--lazy', storage]))
  const remount = (mode: string) => run('mount', ['-o', `remount,${mode}`, storage])
  await playAll(
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

async function playAll(
  t: TestContext,
  { name, folder }: { name: string; folder: string },
  fault: Fault,
): Promise<void> {
  const harness = await openHarness({ STOWAGE_DATA: folder, STOWAGE_DISK_RESERVE: '0' })
  cleanUp(t, () => harness.close())
  const failures: string[] = []
  const seen: Record<string, string> = {}
  for (const testCase of TEST_CASES) {
    await harness.context.database.reserveDiskSpace()
    try {
      seen[testCase.name] = (await playFault(harness, testCase, fault)).during
    } catch (failure) {
      failures.push(`${testCase.name}: ${failure}`)
    }
  }
  t.diagnostic(JSON.stringify(seen))
  assert.deepEqual(failures, [])
  const refused = Object.entries(seen).filter(
    ([call, answer]) => FREES_SPACE.test(call) && /^5/.test(answer),
  )
  assert.deepEqual(refused, [], 'calls that free space succeed')
  await harness.close()
  await diskBackdoor(folder).assertHoldsOnly([], 10)
  await keepResult(name, {
    command: 'npx node --test packages/server/test/faults/disk.test.ts',
    rows: seen,
  })
}
