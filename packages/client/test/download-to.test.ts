import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { linkSync, renameSync, writeFileSync } from 'node:fs'
import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isStowageError } from '@stowage/client/node'
import { changeObject, flipBit } from '@stowage/testing/engines/test-engines'
import { anHttpServer } from '@stowage/testing/machine/ports'
import { until } from '@stowage/testing/machine/until'
import { aService } from '@stowage/testing/service/service'
import { someBytes } from '@stowage/testing/service/upload'
import { aClient } from './support/client.ts'
import type { Fault } from './support/fault-proxy.ts'
import { aProxiedService } from './support/proxied-service.ts'

const BYTES = new Uint8Array(someBytes(3_000_000))

/**
 * A stored file behind a proxy. Each fault that a test adds to `faults` applies to one request of a download. Only
 * tests with a hanging storage set a short `stallMs`: otherwise a slow machine would cause additional retries.
 */
async function aStoredFile(t: TestContext, options: { stallMs?: number } = {}) {
  const faults: Fault[] = []
  const ranges: (string | undefined)[] = []
  const service = await aProxiedService(t, {
    settings: {},
    storage({ method, headers }) {
      if (method !== 'GET') return { kind: 'pass' }
      ranges.push(headers.range)
      return faults.shift() ?? { kind: 'pass' }
    },
  })
  const { client, folder } = await aClient(t, { baseUrl: service.api.url, ...options })
  const { id } = await client.upload(BYTES, { name: 'Übung.bin' })
  return { client, folder, id, faults, ranges }
}

test('a file is saved to the path, or in a folder with the name of the asset', async (t) => {
  const { client, folder, id } = await aStoredFile(t)
  const seen: number[] = []
  const path = join(folder, 'saved.bin')
  const saved = await client.downloadTo(id, path, { onProgress: ({ bytes }) => seen.push(bytes) })
  assert.deepEqual([saved.path, saved.bytes, saved.asset.id], [path, BYTES.length, id])
  assert.ok((await readFile(path)).equals(BYTES))
  assert.equal(seen.at(-1), BYTES.length)
  const own = await client.downloadTo(id, folder)
  assert.equal(own.path, join(folder, 'Übung.bin'))
  assert.deepEqual((await readdir(folder)).sort(), ['saved.bin', 'Übung.bin'].sort())
})

test('an interrupted download continues where it stopped', async (t) => {
  const { client, folder, id, faults, ranges } = await aStoredFile(t, { stallMs: 1000 })
  faults.push({ kind: 'half' }, { kind: 'lose' }, { kind: 'hang' }, { kind: 'refuse', status: 503 })
  const path = join(folder, 'saved.bin')
  await client.downloadTo(id, path)
  assert.ok((await readFile(path)).equals(BYTES))
  assert.equal(ranges[0], undefined)
  assert.match(ranges.at(-1) ?? '', /^bytes=[1-9]\d*-$/)
})

test('the next call resumes an aborted download', async (t) => {
  const { client, folder, id, faults, ranges } = await aStoredFile(t)
  const controller = new AbortController()
  faults.push({ kind: 'half' }, { kind: 'hang' })
  const path = join(folder, 'saved.bin')
  await assert.rejects(
    client.downloadTo(id, path, {
      signal: controller.signal,
      onProgress: ({ bytes }) => bytes > 0 && controller.abort(),
    }),
    { name: 'AbortError' },
  )
  assert.deepEqual(await readdir(folder), [`.${id}.part`])
  await client.downloadTo(id, path)
  assert.ok((await readFile(path)).equals(BYTES))
  assert.match(ranges.at(-1) ?? '', /^bytes=[1-9]\d*-$/)
})

test('with overwrite: false, a file that is created during the download is kept', async (t) => {
  const { client, folder, id } = await aStoredFile(t)
  const path = join(folder, 'saved.bin')
  const late = { overwrite: false, onProgress: () => writeFileSync(path, 'mine') }
  const isExisting = (error: unknown) => isStowageError(error, 'file_exists')
  await assert.rejects(client.downloadTo(id, path, late), isExisting)
  assert.equal(await readFile(path, 'utf8'), 'mine')

  // Downloaded bytes are not downloaded again.
  const seen: unknown[] = []
  await client.downloadTo(id, path, { onProgress: (progress) => seen.push(progress) })
  assert.ok((await readFile(path)).equals(BYTES))
  assert.deepEqual(seen, [])
  await assert.rejects(
    client.downloadTo(id, path, { ...late, onProgress: () => assert.fail() }),
    isExisting,
  )
  const other = join(folder, 'other.bin')
  await client.downloadTo(id, other, { overwrite: false })
  assert.ok((await readFile(other)).equals(BYTES))
  assert.deepEqual((await readdir(folder)).sort(), ['other.bin', 'saved.bin'])
})

test('parallel downloads of one asset to one folder do not corrupt each other', async (t) => {
  const { client, folder, id, faults } = await aStoredFile(t)
  faults.push({ kind: 'half' }, { kind: 'half' }, { kind: 'half' })
  const paths = ['a.bin', 'b.bin', 'c.bin'].map((name) => join(folder, name))
  await Promise.all(paths.map((path) => client.downloadTo(id, path)))
  for (const path of paths) assert.ok((await readFile(path)).equals(BYTES), path)
})

/** A stored file whose SHA-256 is known. */
async function aVerifiedFile(t: TestContext) {
  const { baseUrl } = await aService(t, { STOWAGE_CHECKSUMS: 'on' })
  const { client, folder } = await aClient(t, { baseUrl })
  const { id } = await client.upload(BYTES, { name: 'a.bin' })
  await until('the digest is known', async () => (await client.asset(id)).checksum !== null)
  return { client, folder, id, partial: join(folder, `.${id}.part`), path: join(folder, 'a.bin') }
}

test('parallel downloads of one asset to one path all succeed', async (t) => {
  const { client, folder, id, path } = await aVerifiedFile(t)
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(Array.from({ length: 4 }, () => client.downloadTo(id, path)))
    assert.ok((await readFile(path)).equals(BYTES))
    assert.deepEqual(await readdir(folder), ['a.bin'])
  }
})

test('a download succeeds if another process has moved the shared partial file to the same path', async (t) => {
  const { client, folder, id, partial, path } = await aVerifiedFile(t)
  let calls = 0
  const { bytes } = await client.downloadTo(id, path, {
    onProgress({ bytes }) {
      if (bytes < BYTES.length) return
      calls += 1
      renameSync(partial, path)
    },
  })
  assert.deepEqual([bytes, calls], [BYTES.length, 1])
  assert.ok((await readFile(path)).equals(BYTES))
  assert.deepEqual(await readdir(folder), ['a.bin'])
})

test('a file that another process has moved into place is never emptied', async (t) => {
  const { client, folder, id, partial, path } = await aVerifiedFile(t)
  // The resumed bytes are wrong, so the download finds another digest.
  await writeFile(partial, new Uint8Array(1000))
  const kept = join(folder, 'kept.bin')
  let isMoved = false
  await client.downloadTo(id, path, {
    onProgress({ bytes }) {
      if (bytes < BYTES.length || isMoved) return
      isMoved = true
      linkSync(partial, kept)
      renameSync(partial, path)
    },
  })
  assert.ok((await readFile(path)).equals(BYTES))
  assert.equal((await stat(kept)).size, BYTES.length)
})

test('parallel downloads of one link do not corrupt each other', async (t) => {
  const { baseUrl } = await aService(t)
  const { client, folder } = await aClient(t, { baseUrl })
  const waiting: (() => void)[] = []
  const origin = await anHttpServer(t, (_request, response) => {
    response.write(BYTES.subarray(0, 1_000_000))
    waiting.push(() => response.end(BYTES.subarray(1_000_000)))
  })
  const { id } = await client.store({ filename: 'course.zip', url: `${origin}/course.zip` })
  let received = 0
  const onProgress = () => {
    received += 1
  }
  const first = client.downloadTo(id, join(folder, 'a.zip'), { onProgress })
  await until('the first download has received bytes', () => received > 0)
  const second = client.downloadTo(id, join(folder, 'b.zip'))
  await until('the second download has started', () => waiting.length === 2)
  waiting[0]?.()
  await first
  assert.ok((await readFile(join(folder, 'a.zip'))).equals(BYTES))
  waiting[1]?.()
  await second
  assert.ok((await readFile(join(folder, 'b.zip'))).equals(BYTES))
  assert.deepEqual((await readdir(folder)).sort(), ['a.zip', 'b.zip'])
})

test('a partial file that is longer than the asset is not continued', async (t) => {
  const { client, folder, id } = await aStoredFile(t)
  await writeFile(join(folder, `.${id}.part`), someBytes(BYTES.length + 1, 2))
  const { path } = await client.downloadTo(id, folder)
  assert.ok((await readFile(path)).equals(BYTES))
})

test('a full disk ends a download without retries, and the next call downloads the file', async (t) => {
  const { client, folder, id, ranges } = await aStoredFile(t)
  const partial = join(folder, `.${id}.part`)
  await symlink('/dev/full', partial)
  await assert.rejects(client.downloadTo(id, folder), { code: 'ENOSPC' })
  assert.equal(ranges.length, 1)
  assert.deepEqual(await readdir(folder), [])
  const { path } = await client.downloadTo(id, folder)
  assert.ok((await readFile(path)).equals(BYTES))
})

test('downloading a link whose target is unreachable fails without retries', {
  timeout: 20_000,
}, async (t) => {
  const { baseUrl } = await aService(t)
  const { client, folder } = await aClient(t, { baseUrl })
  const url = 'http://127.0.0.1:9/course.zip'
  const { id } = await client.store({ filename: 'course.zip', url })
  await assert.rejects(client.downloadTo(id, folder), { code: 'network', message: /course\.zip/ })
})

test('a download whose bytes do not match the SHA-256 of the asset is refused', async (t) => {
  const service = await aService(t, { STOWAGE_CHECKSUMS: 'on' })
  const { client, folder } = await aClient(t, { baseUrl: service.baseUrl })
  const { id } = await client.upload(BYTES, { name: 'a.bin' })
  await until('the digest is known', async () => (await client.asset(id)).checksum !== null)
  const path = join(folder, 'a.bin')
  await client.downloadTo(id, path)
  assert.ok((await readFile(path)).equals(BYTES))
  // A damaged partial file of an earlier call is downloaded again.
  await writeFile(join(folder, `.${id}.part`), new Uint8Array(1000))
  await client.downloadTo(id, path)
  assert.ok((await readFile(path)).equals(BYTES))
  await changeObject(service, id, someBytes(BYTES.length, 2))
  await assert.rejects(client.downloadTo(id, path), (error) => isStowageError(error, 'damaged'))
  // The earlier file is kept.
  assert.ok((await readFile(path)).equals(BYTES))
})

test('a flipped bit in a stored file makes the download fail soon, and leaves no file', {
  timeout: 60_000,
}, async (t) => {
  const service = await aService(t, { STOWAGE_CHECKSUMS: 'on' })
  const { client, folder } = await aClient(t, { baseUrl: service.baseUrl })
  // Short and long files fail at different points of the download.
  for (const bytes of [BYTES.subarray(0, 1000), BYTES]) {
    const { id } = await client.upload(bytes, { name: 'a.bin' })
    await until('the digest is known', async () => (await client.asset(id)).checksum !== null)
    await flipBit(service, { key: id, bytes: bytes.length })
    const path = join(folder, 'a.bin')
    await assert.rejects(client.downloadTo(id, path), (error) => isStowageError(error, 'damaged'))
    await assert.rejects(readFile(path), { code: 'ENOENT' })
  }
})

test('a wrong declared digest makes the download fail', async (t) => {
  const { baseUrl } = await aService(t, { STOWAGE_CHECKSUMS: 'on' })
  const { client, folder } = await aClient(t, { baseUrl })
  let calls = 0
  const sha256 = async () => {
    calls += 1
    return 'a'.repeat(64)
  }
  const { id } = await client.upload(BYTES, { name: 'a.bin', sha256 })
  assert.equal(calls, 1)
  const path = join(folder, 'a.bin')
  await assert.rejects(client.downloadTo(id, path), (error) => isStowageError(error, 'damaged'))
  assert.deepEqual(await readdir(folder), [])
  await assert.rejects(client.upload(BYTES, { name: 'b.bin', sha256: 'x' }), (error) =>
    isStowageError(error, 'invalid'),
  )
})

test('with sha256: true, the client declares the SHA-256 of a file on disk, and the service refuses other inputs', async (t) => {
  let declared: unknown
  const { baseUrl } = await aService(t, { STOWAGE_CHECKSUMS: 'on' })
  const { client, folder } = await aClient(t, {
    baseUrl,
    async fetch(input, init) {
      declared = JSON.parse(`${init?.body ?? '{}'}`).sha256 ?? declared
      return fetch(input, init)
    },
  })
  const path = join(folder, 'a.bin')
  await writeFile(path, BYTES)
  const sha256 = createHash('sha256').update(BYTES).digest('hex')
  const { id } = await client.upload(path, { sha256: true })
  assert.equal(declared, sha256)
  declared = undefined
  await client.replace(id, { path }, { sha256: true })
  assert.equal(declared, sha256)
  await assert.rejects(client.upload(BYTES, { name: 'b.bin', sha256: true }), (error) =>
    isStowageError(error, 'invalid'),
  )
})
