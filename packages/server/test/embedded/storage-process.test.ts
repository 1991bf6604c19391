import assert from 'node:assert/strict'
import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import {
  anIdleConnection,
  aTakenPort,
  isRefused,
  startSlowTransfers,
} from '@stowage/testing/service/connections'
import { aDeployment } from '@stowage/testing/service/service'
import { aFailedStart, aServiceProcess, untilEnded } from '@stowage/testing/service/service-process'
import {
  downloadUrl,
  putPart,
  requestSession,
  signatureOf,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'

test('after SIGTERM, the storage refuses new transfers and the process waits for running ones', async (t) => {
  const service = await aServiceProcess(t)
  const { put, download, stored } = await startSlowTransfers(service.baseUrl)

  const ended = service.stop('SIGTERM')
  await until('the storage refuses new connections', () => isRefused(service.storageUrl))
  assert.equal(service.child.exitCode, null)
  assert.equal((await put.finish()).status, 200)
  assert.equal(service.child.exitCode, null)
  assert.ok((await download.finish()).body.equals(stored))
  await untilEnded(service)
  assert.equal(await ended, 0)
})

test('SIGTERM ends the service even if an idle client is connected to the storage', async (t) => {
  const service = await aServiceProcess(t)
  await uploadFile(service.baseUrl, { bytes: someBytes(10) })
  await anIdleConnection(t, service.storageUrl)
  const ended = service.stop('SIGTERM')
  await untilEnded(service)
  assert.equal(await ended, 0)
})

test('with a storage port that is in use, the service exits with code 1 and names the port', async (t) => {
  const { settings } = await aDeployment(t)
  const port = await aTakenPort(t)
  const taken = { ...settings, STOWAGE_STORAGE_PORT: String(port) }
  const { code, stdout, stderr } = await aFailedStart(taken)
  assert.equal(code, 1)
  assert.equal(stdout, '')
  assert.match(stderr, new RegExp(`127\\.0\\.0\\.1:${port}\\b`))
  assert.match(stderr, /Set STOWAGE_STORAGE_PORT to a free port/)
  assert.doesNotMatch(stderr, /^\s+at /m)
})

test('failures and refusals of the storage are logged without signatures', async (t) => {
  const service = await aServiceProcess(t, { STOWAGE_LOG: 'trace', STOWAGE_CHUNK_SIZE: '100' })
  const { baseUrl, deployment } = service
  const { id } = await uploadFile(baseUrl, { bytes: someBytes(250) })
  const { urls } = await requestSession(baseUrl, { bytes: someBytes(100) })
  const part = urls[0]?.url ?? ''
  const longer = part.replace('length=100', 'length=250')
  assert.notEqual(longer, part)
  assert.equal((await putPart(longer, someBytes(250))).status, 403)
  const url = await downloadUrl(baseUrl, id)
  await truncate(join(deployment.folder, 'storage', 'objects', id.slice(-2), id, '00002'), 50)
  await assert.rejects(async () => (await fetch(url)).arrayBuffer())
  await until('the failure is in the log', () => /request failed/.test(service.output().stderr))
  assert.equal(await service.stop('SIGTERM'), 0)
  const { stdout, stderr } = service.output()
  for (const signature of [part, url].map(signatureOf)) {
    assert.ok(signature.length > 40)
    assert.ok(!`${stdout}${stderr}`.includes(signature), `${signature} is in the log`)
  }
})
