import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { DamagedObject } from '../../domain/errors.ts'
import { openS3Storage } from './s3-storage.ts'

/* Runs in its own process: it sets credentials in the environment. */

const MAX_MS = 25_000
/** More than twice the maximum number of connections. */
const MANY = 300

/** The storage on an S3 server with this connection handler. */
async function aStorageAt(t: TestContext, onConnection: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onConnection(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp(t, () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  process.env.AWS_ACCESS_KEY_ID ??= 'anyone'
  process.env.AWS_SECRET_ACCESS_KEY ??= 'any secret'
  const storage = await openS3Storage({
    bucket: 'files',
    prefix: '',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'us-east-1',
    pathStyle: true,
    maxParts: 10_000,
    clock: () => new Date(),
  })
  cleanUp(t, () => storage.close())
  return storage
}

const upload = { key: '01890000-0000-7000-8000-000000000000', id: 'one' }
const outage = { name: 'EngineUnavailable', engine: 'storage' }

test('storage that accepts calls and does not respond is an outage', async (t) => {
  const storage = await aStorageAt(t, () => {})
  const plan = { size: 1, chunkSize: 1, count: 1 }
  const begin = performance.now()
  await Promise.all([
    assert.rejects(storage.check(), outage),
    ...Array.from({ length: MANY }, () =>
      assert.rejects(storage.createUpload({ ...upload, mime: 'text/plain' }), outage),
    ),
    assert.rejects(storage.listParts(upload), outage),
    assert.rejects(storage.completeUpload(upload, plan, []), outage),
    assert.rejects(storage.abortUpload(upload), outage),
    assert.rejects(storage.removeObject(upload.key), outage),
    assert.rejects(Array.fromAsync(storage.listUploads()), outage),
  ])
  const tookMs = performance.now() - begin
  assert.ok(tookMs < MAX_MS, `${tookMs} ms`)
})

test('storage whose response never ends is an outage', async (t) => {
  let sent = 0
  const storage = await aStorageAt(t, (socket) => {
    const chunk = Buffer.alloc(100_000, 'x')
    const more = () => {
      sent += chunk.length
      socket.write(chunk, () => socket.destroyed || more())
    }
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      more()
    })
  })
  await assert.rejects(storage.createUpload({ ...upload, mime: 'text/plain' }), outage)
  assert.ok(sent < 100_000_000, `${sent} bytes were read`)
})

test('an interrupted or denied read and a missing bucket are outages, but a missing object counts as damaged', async (t) => {
  const xml = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`
  const message = (status: string, body: string, length = body.length) =>
    `HTTP/1.1 ${status}\r\nContent-Type: application/xml\r\nContent-Length: ${length}\r\n\r\n${body}`
  let response = ''
  const storage = await aStorageAt(t, (socket) => {
    socket.on('data', () => socket.end(response))
  })
  const object = { key: upload.key, plan: { size: 10, chunkSize: 10, count: 1 } }
  const read = () => Array.fromAsync(storage.readPart(object, 1))
  response = message('206 Partial Content', 'abc', 10)
  await assert.rejects(read(), outage)
  response = message('403 Forbidden', xml('AccessDenied'))
  await assert.rejects(read(), outage)
  response = message('404 Not Found', xml('NoSuchBucket'))
  await assert.rejects(read(), outage)
  response = message('404 Not Found', xml('NoSuchKey'))
  await assert.rejects(read(), DamagedObject)
  response = message('206 Partial Content', '0123456789')
  assert.equal(Buffer.concat(await read()).toString(), '0123456789')
})
