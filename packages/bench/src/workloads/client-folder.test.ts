import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { COMMAND } from '@stowage/testing/service/stowage-command'
import { expectTotal } from '../catalog/lists.ts'
import { startStowage } from '../processes/servers.ts'
import { openContext } from '../workload.ts'
import { uploadFolder, writeFolder } from './client-folder.ts'

const skip = process.platform === 'linux' ? false : 'needs Linux'

test('every run of the CLI uploads the whole folder and is measured', { skip }, async (t) => {
  const context = openContext(1)
  cleanUp(t, context.close)
  const { url } = await startStowage(context)
  const folder = await writeFolder(context, 20)
  for (const run of [1, 2]) {
    const { time = 0, ...metrics } = await uploadFolder(context, { program: COMMAND, url, folder })
    await expectTotal(url, '', run * 20)
    assert.equal(metrics.rate, 20 / time)
    assert.ok((metrics.cpu ?? 0) > 0.05, `${metrics.cpu} s of CPU time`)
    assert.ok((metrics.memory ?? 0) > 20, `${metrics.memory} MB`)
  }
})

test('a run that fails is not measured, and its message is shown', { skip }, async (t) => {
  const context = openContext(1)
  cleanUp(t, context.close)
  const folder = await writeFolder(context, 1)
  const wrong = { program: COMMAND, url: 'ftp://127.0.0.1', folder }
  await assert.rejects(uploadFolder(context, wrong), /exited with 2: stowage: Invalid URL/)
})
