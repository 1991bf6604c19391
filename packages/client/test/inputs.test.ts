import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { createClient as createBrowserClient } from '@stowage/client'
import { isStowageError, type NodeInput } from '@stowage/client/node'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { anHttpServer, freePort } from '@stowage/testing/machine/ports'
import { until } from '@stowage/testing/machine/until'
import { aService } from '@stowage/testing/service/service'
import { download, someBytes } from '@stowage/testing/service/upload'
import { aClient } from './support/client.ts'
import { aFaultProxy, type Fault } from './support/fault-proxy.ts'

const QUIET = { STOWAGE_LOG: 'warn' }
const MIB = 1024 ** 2
/** Three parts of a stream of known length; the last one is shorter. */
const BYTES = someBytes(17 * MIB)

async function* inChunks(bytes: Uint8Array, size = 300_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** An empty folder that becomes the temporary folder of this process. */
async function aTemporaryFolder(t: TestContext): Promise<string> {
  const folder = await aFolder(t)
  const { TMPDIR } = process.env
  process.env.TMPDIR = folder
  t.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  })
  return folder
}

/** A web server that serves one file. */
function aFileAt(t: TestContext, bytes: Uint8Array, headers: Record<string, string>) {
  return anHttpServer(t, (request, response) => {
    response.writeHead(request.url === '/missing' ? 404 : 200, headers).end(bytes)
  })
}

test('bytes and blobs without a type get the media type of their name, in Node and in browsers', async (t) => {
  const { baseUrl } = await aService(t, QUIET)
  const { client } = await aClient(t, { baseUrl })
  const bytes = Buffer.from('%PDF')
  for (const uploader of [client, createBrowserClient({ baseUrl })]) {
    const mimes: [
      input: Blob | Uint8Array | ReadableStream<Uint8Array>,
      name?: string,
      mime?: string,
    ][] = [
      [bytes, 'a.pdf'],
      [new Blob([bytes]), 'dir.x/A.PDF'.slice(6)],
      [new File([bytes], 'a.pdf')],
      [new Blob([bytes]).stream(), 'a.pdf'],
      [new Blob([bytes], { type: 'application/pdf' }), 'a.zip'],
      [bytes, 'a.zip', 'application/pdf'],
    ]
    for (const [input, name, mime] of mimes) {
      assert.equal((await uploader.upload(input, { name, mime })).mime, 'application/pdf')
    }
    assert.equal((await uploader.upload(bytes, { name: 'a' })).mime, 'application/octet-stream')
  }
})

test('a URL is a TypeError that describes how to upload its content and how to store a link', async (t) => {
  const { baseUrl } = await aService(t, QUIET)
  const { client } = await aClient(t, { baseUrl })
  for (const input of ['http://files.example/a.zip', 'HTTPS://x', new URL('https://x')]) {
    for (const uploader of [client, createBrowserClient({ baseUrl })]) {
      await assert.rejects(uploader.upload(input as never), (error) => {
        assert.ok(error instanceof TypeError)
        assert.match(error.message, /a URL\..*upload\(await fetch\(url\)\).*store\(/)
        return true
      })
    }
  }
})

test('an input that is not a file is a TypeError, and nothing is stored', async (t) => {
  const { baseUrl } = await aService(t, QUIET)
  const { client } = await aClient(t, { baseUrl })
  const multer = { fieldname: 'file', originalname: 'a.zip', buffer: Buffer.from('a'), size: 1 }
  const wrong: unknown[] = [
    multer,
    {},
    [1, 2],
    ['a.zip'],
    5,
    null,
    undefined,
    () => {},
    { path: 5 },
  ]
  for (const input of wrong) {
    await assert.rejects(client.upload(input as NodeInput), TypeError)
  }
  const page = createBrowserClient({ baseUrl })
  await assert.rejects(
    page.upload('/home/me/a.zip' as never),
    /a path only with @stowage\/client\/node/,
  )
  await assert.rejects(page.upload({ path: 'a.zip' } as never), TypeError)
  assert.equal((await client.assets().page()).meta.total, 0)
  assert.equal((await client.account()).reserved, 0)
})

test('only the bytes that a Uint8Array covers are stored, not its whole buffer', async (t) => {
  const { baseUrl } = await aService(t, QUIET)
  const { client } = await aClient(t, { baseUrl })
  const pooled: Buffer = Buffer.from('the bytes of a form')
  const some: Uint8Array = new Uint8Array(BYTES.buffer, BYTES.byteOffset + 5, 1000)
  for (const bytes of [pooled, some]) {
    const { id } = await client.upload(bytes, { name: 'form.bin' })
    assert.ok((await download(baseUrl, id)).equals(bytes))
  }
})

test('streams and responses are stored completely, whether their length is known or not', async (t) => {
  const { baseUrl } = await aService(t, QUIET)
  const { client, folder } = await aClient(t, { baseUrl })
  const path = join(folder, 'film.mov')
  await writeFile(path, BYTES)
  const size = BYTES.length
  const files = await aFileAt(t, BYTES, { 'Content-Type': 'video/quicktime' })
  const sized = await aFileAt(t, BYTES, { 'Content-Length': String(size) })
  const temporary = await aTemporaryFolder(t)
  const inputs: [NodeInput, number?][] = [
    [Readable.toWeb(Readable.from(inChunks(BYTES))) as ReadableStream<Uint8Array>],
    [Readable.toWeb(Readable.from(inChunks(BYTES))) as ReadableStream<Uint8Array>, size],
    [Readable.from(inChunks(BYTES))],
    [createReadStream(path), size],
    [inChunks(BYTES)],
    [await fetch(`${files}/film%201.mov?x=1`)],
    [await fetch(`${sized}/film.mov`)],
  ]
  for (const [input, known] of inputs) {
    const asset = await client.upload(input, { size: known })
    assert.equal(asset.bytes, size)
    assert.ok((await download(baseUrl, asset.id)).equals(BYTES))
    if (asset.filename === 'film 1.mov') assert.equal(asset.mime, 'video/quicktime')
  }
  const part = await client.upload(createReadStream(path, { start: 10, end: 19 }))
  assert.equal(part.bytes, 10)
  const names = await Array.fromAsync(client.assets(), ({ filename }) => filename)
  assert.ok(names.includes('film 1.mov') && names.includes('film.mov'))
  assert.deepEqual(await readdir(temporary), [])

  const page = createBrowserClient({ baseUrl })
  const { id } = await page.upload(
    Readable.toWeb(Readable.from(inChunks(BYTES))) as ReadableStream<Uint8Array>,
    { name: 'a.bin' },
  )
  assert.ok((await download(baseUrl, id)).equals(BYTES))
})

test('a stream of known length is sent while it is read, and read no faster than it is sent', async (t) => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let puts = 0
  const port = await freePort()
  const storage = await aFaultProxy(t, {
    target: () => `http://127.0.0.1:${port}`,
    fault({ method }): Fault {
      if (method !== 'PUT') return { kind: 'pass' }
      puts += 1
      return { kind: 'wait', until: released }
    },
  })
  const { baseUrl } = await aService(t, {
    ...QUIET,
    STOWAGE_STORAGE_PORT: String(port),
    STOWAGE_STORAGE_URL: storage.url,
  })
  const { client } = await aClient(t, { baseUrl, parallel: 1 })
  let given = 0
  async function* source() {
    for (let count = 0; count < 25; count += 1) {
      given += MIB
      yield new Uint8Array(MIB).fill(count)
    }
  }
  const upload = client.upload(source(), { size: 25 * MIB })
  await until('two parts are read', () => given >= 16 * MIB)
  await until('the first part is being sent', () => puts > 0)
  assert.ok(given <= 17 * MIB, `${given / MIB} MiB were read`)
  release()
  assert.equal((await upload).bytes, 25 * MIB)
})

test('a stream is refused if it is shorter or longer than the declared size, fails, or yields text', async (t) => {
  const { baseUrl } = await aService(t, QUIET)
  const { client } = await aClient(t, { baseUrl })
  async function* broken() {
    yield new Uint8Array(10)
    throw new Error('the disk is gone')
  }
  const isUnreadable = (error: unknown) => isStowageError(error, 'file_unreadable')
  for (const size of [999, 1001]) {
    await assert.rejects(client.upload(inChunks(BYTES.subarray(0, 1000)), { size }), isUnreadable)
  }
  await assert.rejects(client.upload(broken()), /the disk is gone/)
  await assert.rejects(client.upload(broken(), { size: 20 }), /the disk is gone/)
  const text = Readable.from(['some', 'text'])
  await assert.rejects(client.upload(text as NodeInput), TypeError)
  const files = await aFileAt(t, BYTES, {})
  await assert.rejects(client.upload(await fetch(`${files}/missing`)), isUnreadable)
  assert.equal((await client.assets().page()).meta.total, 0)
})

test('a failed part of a stream is sent again', async (t) => {
  const faults: Fault[] = [{ kind: 'cut' }, { kind: 'lose' }, { kind: 'refuse', status: 503 }]
  const port = await freePort()
  const storage = await aFaultProxy(t, {
    target: () => `http://127.0.0.1:${port}`,
    fault: ({ method }) => (method === 'PUT' ? faults.shift() : undefined) ?? { kind: 'pass' },
  })
  const { baseUrl } = await aService(t, {
    ...QUIET,
    STOWAGE_STORAGE_PORT: String(port),
    STOWAGE_STORAGE_URL: storage.url,
  })
  const { client } = await aClient(t, { baseUrl })
  const { id } = await client.upload(inChunks(BYTES), { size: BYTES.length })
  assert.ok((await download(baseUrl, id)).equals(BYTES))
})

test('cancelling an upload does not wait for a stream that yields nothing', async (t) => {
  const { baseUrl } = await aService(t, QUIET)
  const { client } = await aClient(t, { baseUrl })
  for (const size of [undefined, 1000]) {
    const silent = [new ReadableStream<Uint8Array>({}), new Readable({ read() {} })]
    for (const stream of silent) {
      const upload = client.upload(stream, { size })
      await until('the upload has started', () => upload.id !== undefined || size === undefined)
      await upload.cancel()
      await assert.rejects(upload, { code: 'cancelled' })
    }
  }
  assert.equal((await client.account()).reserved, 0)
})
