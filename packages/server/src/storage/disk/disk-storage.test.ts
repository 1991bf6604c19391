import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { someBytes } from '@stowage/testing/service/upload'
import { ServiceError } from '../../domain/errors.ts'
import { partPlan, partRanges } from '../../domain/parts.ts'
import { testStorageContract } from '../storage.contract.ts'
import type { OwnerSource, Storage } from '../storage.ts'
import { openDiskStorage } from './disk-storage.ts'

const CHUNK = 1000
const later = () => new Date(Date.now() + 60_000)

async function openIn(
  t: TestContext,
  directory: string,
  options: Partial<Parameters<typeof openDiskStorage>[0]> = {},
): Promise<Storage> {
  const storage = await openDiskStorage({
    directory,
    host: '127.0.0.1',
    port: 0,
    reserve: 0,
    onFailure(failure) {
      assert.fail(JSON.stringify(failure))
    },
    ...options,
  })
  cleanUp(t, () => storage.close())
  return storage
}

/** Bodies of this length bypass the HTTP parser where `fastBody` is on. */
const LONG_CHUNK = 200_000

const variants = [
  { name: 'disk', chunkSize: CHUNK, fastBody: true, ownThread: true },
  { name: 'disk, long parts', chunkSize: LONG_CHUNK, fastBody: true, ownThread: false },
  {
    name: 'disk, long parts, plain body',
    chunkSize: LONG_CHUNK,
    fastBody: false,
    ownThread: false,
  },
]
for (const { name, chunkSize, ...options } of variants) {
  testStorageContract(name, async (t) => ({
    storage: await openIn(t, await aFolder(t), options),
    chunkSize,
    latePart: 'is refused',
  }))
}

async function anOpenUpload(t: TestContext, size = CHUNK, options = {}) {
  const folder = await aFolder(t)
  const storage = await openIn(t, folder, options)
  const upload = { key: randomUUID(), id: randomUUID() }
  await storage.createUpload({ ...upload, mime: 'text/plain' })
  const plan = partPlan(size, size || 1)
  const {
    urls: [url = ''],
  } = await storage.signParts(upload, partRanges(plan), later())
  return { folder, storage, upload, plan, url }
}

test('an upload without parts has no folder, is listed, and accepts its first part', async (t) => {
  const { folder, storage, upload, plan, url } = await anOpenUpload(t)
  assert.deepEqual(await readdir(join(folder, 'uploads')), [])
  assert.deepEqual(await storage.listParts(upload), [])
  const listed = await Array.fromAsync(storage.listUploads(upload.key))
  assert.deepEqual(
    listed.map(({ id }) => id),
    [upload.id],
  )
  assert.deepEqual(await storage.completeUpload(upload, plan, []), {
    outcome: 'refused',
    parts: [1],
  })
  assert.equal((await fetch(url, { method: 'PUT', body: new Uint8Array(CHUNK) })).status, 200)
  assert.equal((await Array.fromAsync(storage.listUploads())).length, 1)
  assert.deepEqual(await storage.completeUpload(upload, plan, []), { outcome: 'completed' })
})

test('a completion hashes an object of one small part if asked to, and leaves all others to the job', async (t) => {
  const completed = async (size: number, chunkSize: number, wanted = {}, damage = false) => {
    const { folder, storage, upload } = await anOpenUpload(t, size)
    const plan = partPlan(size, chunkSize)
    const { urls } = await storage.signParts(upload, partRanges(plan), later())
    const bytes = someBytes(size)
    for (const [index, url] of urls.entries()) {
      const body = new Uint8Array(bytes.subarray(index * chunkSize, (index + 1) * chunkSize))
      assert.equal((await fetch(url, { method: 'PUT', body })).status, 200)
    }
    if (damage) {
      const part = join(folder, 'uploads', `${upload.key}.${upload.id}`, '00001')
      const file = await readFile(part)
      file[0] = ~(file[0] ?? 0)
      await writeFile(part, file)
    }
    const first = await storage.completeUpload(upload, plan, [], wanted)
    // Perhaps the response of the first call was lost.
    assert.deepEqual(await storage.completeUpload(upload, plan, [], wanted), first)
    assert.equal(first.outcome, 'completed')
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return { hashes: first.hashes, expected: { sha256, crc32: crc32(bytes) } }
  }
  const on = { hashes: true }
  for (const size of [0, 1, 1_000_000]) {
    const { hashes, expected } = await completed(size, 1_000_000, on)
    assert.deepEqual(hashes, expected)
  }
  const without = [
    await completed(1_000_001, 2_000_000, on),
    await completed(2000, 1000, on),
    // Its ETag no longer fits: the job finds out why.
    await completed(1000, 1000, on, true),
    await completed(1000, 1000),
  ]
  assert.deepEqual(
    without.map(({ hashes }) => hashes),
    without.map(() => undefined),
  )
})

test('an upload that ended without parts accepts none', async (t) => {
  const { folder, storage, upload, url } = await anOpenUpload(t)
  await storage.abortUpload(upload)
  assert.deepEqual(await Array.fromAsync(storage.listUploads()), [])
  assert.equal(await storage.listParts(upload), undefined)
  assert.equal((await fetch(url, { method: 'PUT', body: new Uint8Array(CHUNK) })).status, 404)
  assert.deepEqual(await readdir(join(folder, 'uploads')), [])
})

test('a completed upload accepts no part after its object was removed', async (t) => {
  const { storage, upload, plan, url } = await anOpenUpload(t)
  const put = () => fetch(url, { method: 'PUT', body: new Uint8Array(CHUNK) })
  assert.equal((await put()).status, 200)
  // A repeated request opens it again.
  await storage.createUpload({ ...upload, mime: 'text/plain' })
  assert.deepEqual(await storage.completeUpload(upload, plan, []), { outcome: 'completed' })
  await storage.removeObject(upload.key)
  assert.equal((await put()).status, 404)
})

test('after a restart, an upload without parts accepts them only while the service has it open', async (t) => {
  const { folder, storage, upload, plan } = await anOpenUpload(t)
  await storage.close()
  let isOpen = false
  const again = await openIn(t, folder, { isUploadOpen: async () => isOpen })
  const {
    urls: [url = ''],
  } = await again.signParts(upload, partRanges(plan), later())
  const put = () => fetch(url, { method: 'PUT', body: new Uint8Array(CHUNK) })
  assert.equal(await again.listParts(upload), undefined)
  assert.equal((await put()).status, 404)
  isOpen = true
  assert.deepEqual(await again.listParts(upload), [])
  assert.equal((await put()).status, 200)
  assert.deepEqual(await again.completeUpload(upload, plan, []), { outcome: 'completed' })
  await again.removeObject(upload.key)
  isOpen = false
  assert.equal((await put()).status, 404)
})

test('the disk is asked at most once a second for space, and always before a refusal', async (t) => {
  const { storage } = await anOpenUpload(t)
  const asked = () => storage.freeBytes(1)
  const before = await storage.freeBytes()
  let requests = 0
  const hook = createHook({
    init(_id, type) {
      if (type.startsWith('FSREQ')) requests += 1
    },
  })
  hook.enable()
  for (let count = 0; count < 100; count += 1) assert.ok(await asked())
  // Each second, the disk is asked for access and for space.
  const recent = requests
  for (let count = 0; count < 10; count += 1) await storage.freeBytes(Number.MAX_SAFE_INTEGER)
  hook.disable()
  assert.ok(before)
  assert.ok(recent <= 4, `${recent} calls in the thread pool`)
  assert.ok(requests - recent >= 20, `${requests - recent} calls in the thread pool`)
})

test('only the owner can read the signing secret', async (t) => {
  const { folder } = await anOpenUpload(t)
  assert.equal((await stat(join(folder, 'secret'))).mode & 0o777, 0o600)
})

test('reading a part detects a byte that changed on the disk', async (t) => {
  const { folder, storage, upload, plan, url } = await anOpenUpload(t)
  await fetch(url, { method: 'PUT', body: new Uint8Array(CHUNK).fill(7) })
  await storage.completeUpload(upload, plan, [])
  const object = { key: upload.key, plan }
  assert.equal((await Array.fromAsync(storage.readPart(object, 1))).length, 1)
  const file = join(folder, 'objects', upload.key.slice(-2), upload.key, '00001')
  const bytes = await readFile(file)
  bytes[500] = 8
  await writeFile(file, bytes)
  await assert.rejects(Array.fromAsync(storage.readPart(object, 1)), /has changed/)
})

test('an interrupted PUT leaves no file behind', async (t) => {
  const { folder, storage, upload, url } = await anOpenUpload(t, 1_000_000)
  const cut = request(url, { method: 'PUT', headers: { 'Content-Length': 1_000_000 } })
  cut.on('error', () => {})
  cut.write(Buffer.alloc(300_000))
  const uploadFolder = join(folder, 'uploads', `${upload.key}.${upload.id}`)
  await until(async () => existsSync(uploadFolder) && readdirSync(uploadFolder).length === 1)
  cut.destroy()
  await until(async () => (await readdir(uploadFolder)).length === 0)
  assert.deepEqual(await storage.listParts(upload), [])
})

test('after concurrent PUTs of one part, the stored part is complete and from a PUT that succeeded', async (t) => {
  const { storage, upload, url, plan } = await anOpenUpload(t, 500_000)
  const bodies = [1, 2, 3, 4].map((fill) => new Uint8Array(500_000).fill(fill))
  const responses = await Promise.all(
    // A newer PUT aborts the older ones.
    bodies.map((body) => fetch(url, { method: 'PUT', body }).catch(() => undefined)),
  )
  const etags = responses.map((response) => response?.headers.get('etag')?.replaceAll('"', ''))
  const [part] = (await storage.listParts(upload)) ?? []
  const winner = bodies[etags.indexOf(part?.etag)]
  assert.ok(winner)
  await storage.completeUpload(upload, plan, [])
  const { url: downloadUrl } = await storage.signDownload(
    { key: upload.key, plan, filename: 'x', mime: 'text/plain' },
    later(),
  )
  const stored = new Uint8Array(await (await fetch(downloadUrl)).arrayBuffer())
  assert.equal(sha256(stored), sha256(winner))
})

test('incomplete parts are removed at the start after a crash, complete parts are kept', async (t) => {
  const { folder, storage, upload, url } = await anOpenUpload(t)
  await fetch(url, { method: 'PUT', body: new Uint8Array(CHUNK) })
  const inTransfer = request(url, { method: 'PUT', headers: { 'Content-Length': CHUNK } })
  inTransfer.on('error', () => {})
  inTransfer.write('x')
  const uploadFolder = join(folder, 'uploads', `${upload.key}.${upload.id}`)
  await until(async () => (await readdir(uploadFolder)).length === 2)
  const again = await openIn(t, folder)
  assert.deepEqual(await readdir(uploadFolder), ['00001'])
  assert.equal((await again.listParts(upload))?.length, 1)
  inTransfer.destroy()
  await storage.abortUpload(upload)
})

test('a part in transfer when the upload is completed is refused and leaves no file behind', async (t) => {
  const { folder, storage, upload, url, plan } = await anOpenUpload(t)
  await fetch(url, { method: 'PUT', body: new Uint8Array(CHUNK) })
  const inTransfer = request(url, { method: 'PUT', headers: { 'Content-Length': CHUNK } })
  const status = new Promise((resolve) => {
    inTransfer.on('response', (response) => resolve(response.statusCode))
  })
  inTransfer.write(new Uint8Array(1))
  const uploadFolder = join(folder, 'uploads', `${upload.key}.${upload.id}`)
  await until(async () => (await readdir(uploadFolder)).length === 2)
  await storage.completeUpload(upload, plan, [])
  inTransfer.end(new Uint8Array(CHUNK - 1))
  assert.equal(await status, 404)
  const objectFolder = join(folder, 'objects', upload.key.slice(-2), upload.key)
  assert.deepEqual(await readdir(objectFolder), ['00001'])
})

test('a signing secret whose creation was interrupted is created again', async (t) => {
  const folder = await aFolder(t)
  await writeFile(join(folder, 'secret.new'), '')
  const storage = await openIn(t, folder)
  await storage.check()
  assert.match(await readFile(join(folder, 'secret'), 'utf8'), /^[0-9a-f]{64}$/)
})

test('a part that does not fit on the disk is refused before its body is sent', async (t) => {
  const size = Number.MAX_SAFE_INTEGER
  const { url } = await anOpenUpload(t, size)
  const headers = { 'Content-Length': size, Expect: '100-continue' }
  const sending = request(url, { method: 'PUT', headers })
  sending.flushHeaders()
  sending.on('continue', () => assert.fail('it requested the body'))
  const status = await new Promise((resolve) => {
    sending.on('response', (response) => resolve(response.statusCode))
  })
  sending.on('error', () => {})
  sending.destroy()
  assert.equal(status, 507)
})

test('a browser may PUT from any origin and read the ETag', async (t) => {
  const { url } = await anOpenUpload(t)
  const preflight = await fetch(url, {
    method: 'OPTIONS',
    headers: {
      Origin: 'https://shop.example',
      'Access-Control-Request-Method': 'PUT',
      'Access-Control-Request-Headers': 'x-anything',
    },
  })
  assert.equal(preflight.status, 204)
  assert.equal(preflight.headers.get('access-control-allow-origin'), '*')
  assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /PUT/)
  assert.equal(preflight.headers.get('access-control-allow-headers'), 'x-anything')
  const response = await fetch(url, { method: 'PUT', body: new Uint8Array(CHUNK) })
  assert.match(response.headers.get('access-control-expose-headers') ?? '', /ETag/)
})

test('browsers do not run a downloaded file as a page, and conditional requests are honored', async (t) => {
  const { storage, upload, plan, url } = await anOpenUpload(t)
  await fetch(url, { method: 'PUT', body: new Uint8Array(CHUNK).fill(65) })
  await storage.completeUpload(upload, plan, [])
  const object = { key: upload.key, plan, filename: 'page.html', mime: 'text/html' }
  const { url: downloadUrl } = await storage.signDownload(object, later())
  const whole = await fetch(downloadUrl)
  assert.equal((await whole.text()).length, CHUNK)
  assert.equal(whole.headers.get('x-content-type-options'), 'nosniff')
  assert.match(whole.headers.get('content-security-policy') ?? '', /sandbox/)
  const etag = whole.headers.get('etag') ?? ''
  const get = (headers: Record<string, string>) => fetch(downloadUrl, { headers })
  assert.equal((await get({ 'If-None-Match': etag })).status, 304)
  assert.equal((await get({ Range: 'bytes=0-1', 'If-Range': etag })).status, 206)
  assert.equal((await get({ Range: 'bytes=0-1', 'If-Range': '"other"' })).status, 200)
  const head = await fetch(downloadUrl, { method: 'HEAD' })
  assert.equal(head.headers.get('content-length'), String(CHUNK))
  assert.equal(await head.text(), '')
})

test('after its URL has expired, a buyer’s download continues as long as the service allows it', async (t) => {
  const asked: unknown[] = []
  const unused = () => assert.fail()
  const source: OwnerSource = {
    open: unused,
    check: unused,
    readSegment: unused,
    keepCrc32: unused,
    async continueDownload(id, isStart) {
      asked.push([id, isStart])
      if (asked.length > 8) throw new ServiceError('order_revoked', 'The order was revoked.')
    },
  }
  const { storage, upload, plan, url } = await anOpenUpload(t, CHUNK, { source })
  await fetch(url, { method: 'PUT', body: new Uint8Array(CHUNK).fill(65) })
  await storage.completeUpload(upload, plan, [])
  const object = { key: upload.key, plan, filename: 'a.zip', mime: 'application/zip' }
  const sign = async (expiresAt: number, until: number, isStarted = true) => {
    const renewal = { download: 'one', until: Date.now() + until, isStarted }
    return (await storage.signDownload({ ...object, renewal }, new Date(Date.now() + expiresAt)))
      .url
  }
  const fresh = await sign(60_000, 120_000)
  const old = await sign(-1000, 120_000)
  const over = await sign(-1000, -1000)
  const get = async (from: string, headers: Record<string, string> = {}, method = 'GET') => {
    const response = await fetch(from, { headers, method })
    const body = await response.text()
    return response.ok ? body.length : JSON.parse(body).code
  }
  assert.equal(await get(fresh), CHUNK)
  assert.deepEqual(asked, [])
  assert.equal(await get(over), 'url_expired')
  const etag = `"${upload.key}"`
  assert.equal(await get(old, { Range: 'bytes=400-', 'If-Range': etag }), CHUNK - 400)
  assert.equal(await get(old, { Range: 'bytes=400-', 'If-Range': '"other"' }), CHUNK)
  assert.equal(await get(old), CHUNK)
  assert.equal(await get(old, { Range: 'bytes=0-0' }), 1)
  assert.equal(await get(old, { Range: 'bytes=-1' }), 1)
  assert.equal(await get(old, {}, 'HEAD'), 0)
  const conditional = (headers: Record<string, string>) => fetch(old, { headers })
  assert.equal((await conditional({ 'If-None-Match': etag })).status, 304)
  assert.equal((await conditional({ 'If-Match': '"other"' })).status, 412)
  assert.equal(await get(old, { Range: 'bytes=400-' }), 'order_revoked')
  const starts = [false, true, true, true, false, false, false, false, false]
  assert.deepEqual(
    asked,
    starts.map((isStart) => ['one', isStart]),
  )
  asked.length = 0
  // The service has counted no start, so the first byte is one.
  const uncounted = await sign(60_000, 120_000, false)
  assert.equal(await get(uncounted, { Range: 'bytes=400-' }), CHUNK - 400)
  assert.deepEqual(asked, [])
  assert.equal(await get(uncounted), CHUNK)
  assert.deepEqual(asked, [['one', true]])
})

test('a missing folder is an outage, not a crash', async (t) => {
  const folder = await aFolder(t)
  const storage = await openIn(t, folder, { onFailure() {} })
  const upload = { key: randomUUID(), id: randomUUID() }
  await storage.createUpload({ ...upload, mime: 'text/plain' })
  const {
    urls: [url = ''],
  } = await storage.signParts(upload, partRanges(partPlan(CHUNK, CHUNK)), later())
  await rename(folder, `${folder}-away`)
  cleanUp(t, () => rm(`${folder}-away`, { recursive: true, force: true }))
  const outage = { name: 'EngineUnavailable', engine: 'storage' }
  // Calls within a second do not ask the disk again.
  const refused = async () => storage.createUpload({ ...upload, mime: 'text/plain' }).then(Boolean)
  await until(() =>
    refused().then(
      () => false,
      () => true,
    ),
  )
  await assert.rejects(storage.check(), outage)
  assert.equal((await fetch(url, { method: 'PUT', body: new Uint8Array(CHUNK) })).status, 503)
  await assert.rejects(storage.createUpload({ ...upload, mime: 'text/plain' }), outage)
  await assert.rejects(storage.listParts(upload), outage)
  await assert.rejects(storage.completeUpload(upload, partPlan(1, 1), []), outage)
  await assert.rejects(storage.abortUpload(upload), outage)
  await assert.rejects(storage.removeObject(upload.key), outage)
})

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Polls the condition for at most ten seconds. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('the condition was not met')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

test('an upload whose object exists is not opened again', async (t) => {
  const { folder, storage, upload, plan, url } = await anOpenUpload(t)
  await fetch(url, { method: 'PUT', body: new Uint8Array(CHUNK) })
  await storage.completeUpload(upload, plan, [])
  await storage.createUpload({ ...upload, mime: 'text/plain' })
  assert.deepEqual(await readdir(join(folder, 'uploads')), [])
  assert.equal((await fetch(url, { method: 'PUT', body: new Uint8Array(CHUNK) })).status, 404)
})

test('if a crash interrupts a completion while it compares the parts, the upload does not change', async (t) => {
  const { folder, storage, upload, plan, url } = await anOpenUpload(t)
  await fetch(url, { method: 'PUT', body: new Uint8Array(CHUNK) })
  const open = join(folder, 'uploads', `${upload.key}.${upload.id}`)
  await storage.close()
  await rename(open, `${open}.sealed`)
  const restarted = await openIn(t, folder)
  assert.equal((await restarted.listParts(upload))?.length, 1)
  assert.deepEqual(await restarted.completeUpload(upload, plan, []), { outcome: 'completed' })
})

for (const decision of ['refused', 'completed'] as const) {
  test(`while a completion compares the parts, a new part waits until the completion is ${decision}`, async (t) => {
    const { folder, storage, upload, plan, url } = await anOpenUpload(t)
    await fetch(url, { method: 'PUT', body: new Uint8Array(CHUNK) })
    const open = join(folder, 'uploads', `${upload.key}.${upload.id}`)
    await rename(open, `${open}.sealed`)
    const put = fetch(url, { method: 'PUT', body: new Uint8Array(CHUNK).fill(1) })
    const early = await Promise.race([put, fetch(new URL('/', url))])
    assert.equal(early.status, 404, 'the part got its response before the completion ended')
    if (decision === 'refused') {
      await rename(`${open}.sealed`, open)
      assert.equal((await put).status, 200)
      assert.deepEqual(await storage.completeUpload(upload, plan, []), { outcome: 'completed' })
    } else {
      await rm(`${open}.sealed`, { recursive: true })
      assert.equal((await put).status, 404)
    }
  })
}
