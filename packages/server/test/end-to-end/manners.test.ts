import assert from 'node:assert/strict'
import { readdir, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { UploadSession } from '@stowage/protocol'
import { aFailedStart } from '../support/failed-start.ts'
import { aServiceProcess, type ServiceProcess } from '../support/process.ts'
import { aProcessWithFolder } from '../support/process-folder.ts'
import { aFolder, callJson } from '../support/service.ts'
import { aSlowDownload, aSlowPut } from '../support/slow-transfer.ts'
import { aSilentConnection, aTakenPort, isRefused } from '../support/tcp.ts'
import { until } from '../support/until.ts'
import {
  API,
  cancel,
  complete,
  putPart,
  putParts,
  requestSession,
  someBytes,
  uploadFile,
} from '../support/upload.ts'

/** More than the buffers between two processes hold, so that whoever stops reading stops it. */
const LONG = 40_000_000

test('SIGTERM lets a running part and a running download finish, and the exit code is 0', async (t) => {
  const service = await aProcessWithFolder(t)
  const stored = someBytes(LONG, 2)
  const asset = await uploadFile(service.baseUrl, { bytes: stored })
  const sent = someBytes(1_000_000, 3)
  const session = await requestSession(service.baseUrl, { bytes: sent })
  const put = await aSlowPut(session.urls[0]?.url ?? '', sent)
  const download = await aSlowDownload(await downloadAddress(service.baseUrl, asset.id))
  await until('the part is on its way', async () => (await filesOf(service, session)).length === 1)

  const ended = service.stop('SIGTERM')
  await until('it says that it ends', () => service.output().stderr.includes('finishing'))
  await until('the interface takes no new calls', () => isRefused(service.baseUrl))
  await until('the storage takes no new calls', () => isRefused(service.storageUrl))
  assert.equal(service.child.exitCode, null)

  const answer = await put.finish()
  assert.equal(answer.status, 200)
  assert.equal(service.child.exitCode, null)
  const { status, body } = await download.finish()
  assert.equal(status, 200)
  assert.ok(body.equals(stored))
  await untilEnded(service)
  assert.equal(await ended, 0)

  const again = await aServiceProcess(t, { STOWAGE_DATA: service.folder })
  const resumed = await callJson(`${again.baseUrl}${API}/assets/${session.id}/upload`, {
    method: 'GET',
  })
  assert.deepEqual(resumed.body.received, [{ PartNumber: 1, ETag: answer.etag, size: sent.length }])
})

for (const side of ['baseUrl', 'storageUrl'] as const) {
  test(`SIGTERM ends it, though someone is connected to ${side} and says nothing`, async (t) => {
    const service = await aProcessWithFolder(t)
    await uploadFile(service.baseUrl, { bytes: someBytes(10) })
    await aSilentConnection(t, service[side])
    const ended = service.stop('SIGTERM')
    await untilEnded(service)
    assert.equal(await ended, 0)
  })
}

test('a second process on the same folder ends with code 1 and names the holder', async (t) => {
  const holder = await aProcessWithFolder(t)
  const { code, stderr } = await aFailedStart({ STOWAGE_DATA: holder.folder })
  assert.equal(code, 1)
  assert.match(stderr, new RegExp(`process ${holder.pid}\\b`))
  assert.ok(stderr.includes(holder.baseUrl), stderr)
  assert.ok(stderr.includes(holder.folder), stderr)
  assert.ok(stderr.includes('STOWAGE_DATA'), stderr)
  await uploadFile(holder.baseUrl, { bytes: someBytes(10) })
})

test('a folder whose holder was killed is free at once', async (t) => {
  const killed = await aProcessWithFolder(t)
  await killed.stop('SIGKILL')
  const next = await aServiceProcess(t, { STOWAGE_DATA: killed.folder })
  await uploadFile(next.baseUrl, { bytes: someBytes(10) })
})

test('all problems with the settings are reported at once, with exit code 2', async (t) => {
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
  assert.match(lineOf('STOWAGE_AUTH=open'), /set STOWAGE_AUTH=keys, or STOWAGE_HOST=127\.0\.0\.1/)
  assert.match(lineOf('STOWAGE_DATABSE'), /did you mean STOWAGE_DATABASE\?/)
  assert.match(lineOf('STOWAGE_DATABASE:'), /sqlite/)
  assert.doesNotMatch(stderr, /hunter2/)
  assert.match(lineOf('STOWAGE_STORAGE=ftp://b'), /disk/)
  assert.deepEqual(await readdir(folder), [])
})

for (const name of ['STOWAGE_PORT', 'STOWAGE_STORAGE_PORT']) {
  test(`a port that is taken ends it with code 1 and a message that names ${name}`, async (t) => {
    const port = await aTakenPort(t)
    const settings = { STOWAGE_DATA: await aFolder(t), [name]: String(port) }
    const { code, stdout, stderr } = await aFailedStart(settings)
    assert.equal(code, 1)
    assert.equal(stdout, '')
    assert.match(stderr, new RegExp(`127\\.0\\.0\\.1:${port}\\b`))
    assert.match(stderr, new RegExp(`set ${name} to a free port`))
    assert.doesNotMatch(stderr, /^\s+at /m)
  })
}

test('the log never has a signature, whatever is done with the addresses', async (t) => {
  const service = await aProcessWithFolder(t, { STOWAGE_LOG: 'trace', STOWAGE_CHUNK_SIZE: '100' })
  const { baseUrl } = service
  const bytes = someBytes(250)
  const session = await requestSession(baseUrl, { bytes })
  const first = session.urls[0]?.url ?? ''
  await complete(baseUrl, session, await putParts(session, bytes))
  const resumed = await callJson(`${baseUrl}${API}/assets/${session.id}/upload`, { method: 'GET' })
  const address = await downloadAddress(baseUrl, session.id)
  assert.deepEqual(Buffer.from(await (await fetch(address)).arrayBuffer()), bytes)

  const cancelled = await requestSession(baseUrl, { bytes })
  const open = await callJson(`${baseUrl}${API}/assets/${cancelled.id}/upload`, { method: 'GET' })
  await cancel(baseUrl, cancelled)
  const refused = [
    await putPart(first, bytes.subarray(0, 100)),
    await putPart(first, bytes),
    await putPart(first.replace('length=100', 'length=250'), bytes),
    await putPart(cancelled.urls[0]?.url ?? '', bytes.subarray(0, 100)),
    await fetch(first.replace(service.storageUrl, baseUrl), { method: 'PUT' }),
    await fetch(address.replace(service.storageUrl, baseUrl)),
    await fetch(first),
  ]
  for (const { status } of refused) assert.ok(status >= 400 && status < 500, `${status}`)
  // The storage's own failures are logged too.
  await truncate(join(objectFolder(service.folder, session.id), '00002'), 50)
  await assert.rejects(async () => (await fetch(address)).arrayBuffer())
  await until('the failure is in the log', () => /request failed/.test(service.output().stderr))
  assert.equal(await service.stop('SIGTERM'), 0)

  const { stdout, stderr } = service.output()
  assert.ok(stderr.includes(`/assets/${session.id}/uploaded`), 'the calls are in the log')
  const sessions = [session, cancelled, resumed.body, open.body]
  const addresses = sessions.flatMap(({ urls }) => urls.map(({ url }: { url: string }) => url))
  const signatures = [...addresses, address].map(signatureOf)
  assert.ok(signatures.length >= 10 && signatures.every((signature) => signature.length > 40))
  for (const signature of signatures) {
    assert.ok(!`${stdout}${stderr}`.includes(signature), `${signature} is in the log`)
  }
})

/** Well before any connection times out by itself. */
function untilEnded({ child }: ServiceProcess): Promise<void> {
  return until('it ends', () => child.exitCode !== null, 10_000)
}

function signatureOf(url: string): string {
  return new URL(url).searchParams.get('signature') ?? ''
}

async function downloadAddress(baseUrl: string, id: string): Promise<string> {
  const answer = await callJson(`${baseUrl}${API}/assets/${id}/download`, { method: 'GET' })
  assert.equal(answer.status, 302)
  return answer.headers.get('location') ?? ''
}

function objectFolder(folder: string, id: string): string {
  return join(folder, 'storage', 'objects', id.slice(-2), id)
}

function filesOf({ folder }: { folder: string }, session: UploadSession): Promise<string[]> {
  return readdir(join(folder, 'storage', 'uploads', `${session.id}.${session.upload_id}`))
}
