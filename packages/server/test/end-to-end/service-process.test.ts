import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import {
  anIdleConnection,
  anUnfinishedRequest,
  aTakenPort,
  isRefused,
  startSlowTransfers,
} from '@stowage/testing/service/connections'
import { aDeployment, callJson } from '@stowage/testing/service/service'
import { aFailedStart, aServiceProcess, untilEnded } from '@stowage/testing/service/service-process'
import { API, someBytes, uploadFile } from '@stowage/testing/service/upload'

/** Elsewhere, the system keeps fewer connections. */
const IS_LINUX = process.platform === 'linux'

test('after SIGTERM, running uploads and downloads finish, and the exit code is 0', async (t) => {
  const service = await aServiceProcess(t)
  const { session, put, sent, download, stored } = await startSlowTransfers(service.baseUrl)

  const ended = service.stop('SIGTERM')
  await until('the shutdown is logged', () => service.output().stderr.includes('shutting down'))
  await until('the service refuses new connections', () => isRefused(service.baseUrl))
  const response = await put.finish()
  assert.equal(response.status, 200)
  const { status, body } = await download.finish()
  assert.equal(status, 200)
  assert.ok(body.equals(stored))
  await untilEnded(service)
  assert.equal(await ended, 0)

  const again = await aServiceProcess(t, {}, service.deployment)
  const resumed = await callJson(`${again.baseUrl}${API}/assets/${session.id}/upload`, {
    method: 'GET',
  })
  assert.deepEqual(resumed.body.received, [
    { PartNumber: 1, ETag: response.etag, size: sent.length },
  ])
})

test('SIGTERM ends the service even if an idle client is connected', async (t) => {
  const service = await aServiceProcess(t)
  await uploadFile(service.baseUrl, { bytes: someBytes(10) })
  await anIdleConnection(t, service.baseUrl)
  const ended = service.stop('SIGTERM')
  await untilEnded(service)
  assert.equal(await ended, 0)
})

test('SIGTERM ends the service even if a client never closes its side of the connection', async (t) => {
  const service = await aServiceProcess(t)
  const client = await anUnfinishedRequest(t, `${service.baseUrl}${API}/assets/signed`)
  const ended = service.stop('SIGTERM')
  await until('the service refuses new connections', () => isRefused(service.baseUrl))
  assert.match(await client.finish(), /^HTTP\/1\.1 422 /)
  await untilEnded(service)
  assert.equal(await ended, 0)
})

test('while the service is busy, a thousand connections wait for it', {
  skip: !IS_LINUX,
}, async (t) => {
  const { child, baseUrl, storageUrl } = await aServiceProcess(t)
  for (const url of [baseUrl, storageUrl]) {
    // It cannot accept any connection.
    child.kill('SIGSTOP')
    const { hostname, port } = new URL(url)
    const sockets = Array.from({ length: 1000 }, () => connect(Number(port), hostname))
    for (const socket of sockets) t.after(() => socket.destroy())
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    const last = sockets.at(-1)
    last?.write(`GET /healthz HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`)
    child.kill('SIGCONT')
    assert.match(await text(last as Socket), /^HTTP\/1\.1 /)
  }
})

test('all invalid settings are reported together, with exit code 2', async (t) => {
  const folder = await aFolder(t)
  const { code, stdout, stderr } = await aFailedStart({
    STOWAGE_DATA: folder,
    STOWAGE_PORT: 'abc',
    STOWAGE_HOST: '0.0.0.0',
    STOWAGE_AUTH: 'open',
    STOWAGE_DATABSE: 'x',
    STOWAGE_DATABASE: 'mysql://root:hunter2@x',
    STOWAGE_STORAGE: 'ftp://b',
  })
  assert.equal(code, 2)
  assert.equal(stdout, '')
  const lines = stderr.split('\n')
  const lineOf = (name: string) => lines.find((line) => line.trim().startsWith(name)) ?? ''
  assert.match(lineOf('STOWAGE_PORT=abc'), /a port from 0 to 65535/)
  assert.match(
    lineOf('STOWAGE_AUTH=open'),
    /set STOWAGE_AUTH=keys, or set STOWAGE_HOST=127\.0\.0\.1 and /,
  )
  assert.match(lineOf('STOWAGE_DATABSE'), /did you mean STOWAGE_DATABASE\?/)
  assert.match(lineOf('STOWAGE_DATABASE:'), /sqlite/)
  assert.doesNotMatch(stderr, /hunter2/)
  assert.match(lineOf('STOWAGE_STORAGE=ftp://b'), /disk/)
  assert.deepEqual(await readdir(folder), [])
})

test('with a port that is in use, the service exits with code 1 and names STOWAGE_PORT', async (t) => {
  const { settings } = await aDeployment(t)
  const port = await aTakenPort(t)
  const { code, stdout, stderr } = await aFailedStart({ ...settings, STOWAGE_PORT: String(port) })
  assert.equal(code, 1)
  assert.equal(stdout, '')
  assert.match(stderr, new RegExp(`127\\.0\\.0\\.1:${port}\\b`))
  assert.match(stderr, /set STOWAGE_PORT, or STOWAGE_METRICS_PORT for the metrics, to a free port/)
  assert.doesNotMatch(stderr, /^\s+at /m)
})

test('the log of a process has only lines of JSON, and after an outage of the storage one line says that it is over', async (t) => {
  const service = await aServiceProcess(t, {
    STOWAGE_HOST: '0.0.0.0',
    STOWAGE_AUTH: 'keys',
    STOWAGE_ADMIN_KEY: 'k'.repeat(32),
  })
  const messages = () =>
    service
      .output()
      .stderr.split('\n')
      .slice(0, -1)
      .map((line): string => JSON.parse(line).msg)
  const endings = () => messages().filter((message) => /is available again/.test(message))
  const failures = () =>
    messages().filter((message) => message === 'the storage is unavailable').length
  const readiness = async () =>
    (await callJson(`http://127.0.0.1:${new URL(service.baseUrl).port}/readyz`, { method: 'GET' }))
      .status
  for (let outage = 1; outage <= 2; outage += 1) {
    const restore = await service.deployment.backdoor.makeUnavailable()
    const before = failures()
    // After the first failure the service itself checks whether it is an outage: before the second one, a second later.
    await until('the outage is noticed', async () => {
      return (await readiness()) === 503 && failures() >= before + 2
    })
    assert.equal(endings().length, outage - 1)
    await restore()
    await until('the end of the outage is logged', () => endings().length === outage)
  }
  assert.deepEqual(new Set(endings()), new Set(['the storage is available again']))
  await service.stop('SIGTERM')
  assert.ok(messages().some((message) => /^clients cannot reach/.test(message)))
  assert.ok(messages().some((message) => /^shutting down/.test(message)))
  assert.equal(endings().length, 2)
})
