import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { anHttpServer } from '@stowage/testing/machine/ports'
import { until } from '@stowage/testing/machine/until'
import { aService } from '@stowage/testing/service/service'
import { aClient } from './support/client.ts'
import { aProxiedService } from './support/proxied-service.ts'

/* Runs in its own process: it measures the memory of the process. */

const FILES = 250
/** In bytes of the JavaScript heap, for each waiting or finished upload. */
const LIMIT = 7_500

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function memoryInUse(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

test('a waiting or finished upload uses little memory', async (t) => {
  let release = () => {}
  let released: Promise<void> = Promise.resolve()
  const { api } = await aProxiedService(t, {
    settings: { STOWAGE_LOG: 'warn' },
    ownProcess: true,
    api: () => ({ kind: 'wait', until: released }),
  })
  const { client, folder } = await aClient(t, { baseUrl: api.url })
  const path = join(folder, 'a.bin')
  await writeFile(path, new Uint8Array(100))
  const send = (count: number) => Array.from({ length: count }, () => client.upload(path))
  // Everything that is allocated only once is allocated before the measurement.
  await Promise.all(send(50))
  released = new Promise((resolve) => {
    release = resolve
  })
  const before = memoryInUse()
  const uploads = send(FILES)
  await until('the first uploads have started', () => api.waiting() === 8)
  const waiting = (memoryInUse() - before) / FILES
  release()
  await Promise.all(uploads)
  const ended = (memoryInUse() - before) / FILES
  t.diagnostic(`${Math.round(waiting)} bytes while waiting, ${Math.round(ended)} when finished`)
  assert.ok(waiting < LIMIT, `${waiting} bytes for each waiting upload`)
  assert.ok(ended < LIMIT, `${ended} bytes for each finished upload`)
  assert.ok(uploads.every(({ id, progress }) => id && progress.bytes === 100))
})

test('calls and uploads in Node do not use fetch, which loads slowly and keeps much memory', async (t) => {
  const { baseUrl } = await aService(t)
  const { client, folder } = await aClient(t, { baseUrl })
  const path = join(folder, 'a.txt')
  await writeFile(path, 'some text')
  const { fetch } = globalThis
  t.after(() => {
    globalThis.fetch = fetch
  })
  globalThis.fetch = () => assert.fail('fetch was called')
  const { id } = await client.upload(path)
  assert.equal((await client.asset(id)).id, id)
  globalThis.fetch = fetch
  assert.equal(await (await client.download(id)).text(), 'some text')
})

/** A server that responds to every request as `respond` specifies. */
function aServer(
  t: TestContext,
  respond: (url: string) => { status: number; headers: Record<string, string>; body?: Buffer },
): Promise<string> {
  return anHttpServer(t, (request, response) => {
    const { status, headers, body } = respond(request.url ?? '')
    request.resume().once('end', () => response.writeHead(status, headers).end(body))
  })
}

test('an upload follows a redirect to the service', async (t) => {
  const { baseUrl } = await aService(t)
  const server = await aServer(t, (url) => ({ status: 308, headers: { Location: baseUrl + url } }))
  const { client } = await aClient(t, { baseUrl: server })
  const asset = await client.upload(new Uint8Array(5), { name: 'a.bin' })
  assert.deepEqual([asset.filename, asset.bytes], ['a.bin', 5])
})

test('an upload reads compressed error responses', async (t) => {
  const body = gzipSync(
    JSON.stringify({ message: 'Not enough storage.', code: 'storage_exceeded', needed: 7 }),
  )
  const headers = { 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' }
  const server = await aServer(t, () => ({ status: 402, headers, body }))
  const { client } = await aClient(t, { baseUrl: server })
  await assert.rejects(client.upload(new Uint8Array(5)), {
    code: 'storage_exceeded',
    message: 'Not enough storage.',
    facts: { needed: 7 },
  })
})
