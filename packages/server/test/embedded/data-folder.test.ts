import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { someBytes, uploadFile } from '@stowage/testing/service/upload'
import { aFailedStart } from '../support/failed-start.ts'

test('a second process with the same data folder exits with code 1 and names the process that uses it', async (t) => {
  const holder = await aServiceProcess(t)
  const { settings, folder } = holder.deployment
  const { code, stderr } = await aFailedStart(settings)
  assert.equal(code, 1)
  assert.match(stderr, new RegExp(`process ${holder.pid}\\b`))
  assert.ok(stderr.includes(holder.baseUrl), stderr)
  assert.ok(stderr.includes(folder), stderr)
  assert.ok(stderr.includes('STOWAGE_DATA'), stderr)
  await uploadFile(holder.baseUrl, { bytes: someBytes(10) })
})

test('a data folder can be used immediately after the process that used it was killed', async (t) => {
  const killed = await aServiceProcess(t)
  await killed.stop('SIGKILL')
  const next = await aServiceProcess(t, {}, killed.deployment)
  await uploadFile(next.baseUrl, { bytes: someBytes(10) })
})
