import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { someBytes } from '@stowage/testing/service/upload'
import { partPlan, partRanges } from '../../domain/parts.ts'
import { parseByteRange } from '../../node-http/byte-ranges.ts'
import { openDiskStorage } from './disk-storage.ts'
import type { ListenerFailure } from './open-listener.ts'
import { openDownloadBuffers } from './send-object.ts'

/** Longer than the chunks that a download reads. */
const CHUNK = 1_300_000
const later = () => new Date(Date.now() + 60_000)

/** A stored object of two parts. */
async function anObject(
  t: TestContext,
  { chunkSize = CHUNK, bytes = new Uint8Array(2 * chunkSize).fill(7) } = {},
) {
  const directory = await aFolder(t)
  const failures: ListenerFailure[] = []
  const damaged: string[] = []
  const storage = await openDiskStorage({
    directory,
    host: '127.0.0.1',
    port: 0,
    reserve: 0,
    onFailure: (failure) => void failures.push(failure),
    onDamage: (key) => void damaged.push(key),
  })
  cleanUp(t, () => storage.close())
  const plan = partPlan(2 * chunkSize, chunkSize)
  const upload = { key: randomUUID(), id: randomUUID() }
  await storage.createUpload({ ...upload, mime: 'text/plain' })
  const { urls } = await storage.signParts(upload, partRanges(plan), later())
  for (const [index, url] of urls.entries()) {
    const body = bytes.slice(index * chunkSize, (index + 1) * chunkSize)
    await fetch(url, { method: 'PUT', body })
  }
  await storage.completeUpload(upload, plan, [])
  const object = { key: upload.key, plan, filename: 'a.txt', mime: 'text/plain' }
  const { url } = await storage.signDownload(object, later())
  assert.equal((await (await fetch(url)).bytes()).length, 2 * chunkSize)
  const folder = join(directory, 'objects', upload.key.slice(-2), upload.key)
  const pathOf = (part: number) => join(folder, `0000${part}`)
  const changeByte = async (part: number, at: number) => {
    const bytes = await readFile(pathOf(part))
    bytes[at] = 8
    await writeFile(pathOf(part), bytes)
  }
  /** Downloads from the second part on. */
  const getSecond = () => fetch(url, { headers: { Range: `bytes=${chunkSize}-` } })
  const { key } = upload
  return { key, url, directory, folder, pathOf, changeByte, getSecond, failures, damaged, storage }
}

async function assertRefused(response: Response, status: number, code: string): Promise<void> {
  assert.equal(response.status, status)
  assert.equal((await response.json()).code, code)
  assert.equal(response.headers.get('retry-after'), status === 503 ? '2' : null)
  assert.equal(response.headers.get('etag'), null)
}

for (const { name, part, at } of [
  { name: 'the first byte of a file', part: 1, at: 0 },
  { name: 'the last byte of a file', part: 2, at: CHUNK - 1 },
  { name: 'the digest of a part', part: 2, at: CHUNK + 3 },
]) {
  test(`if ${name} changed on the disk, a download never completes, and the log gives the reason`, async (t) => {
    const { url, failures, changeByte, getSecond } = await anObject(t)
    await changeByte(part, at)
    await assert.rejects(async () => (await fetch(url)).bytes())
    await until('the failure is reported', () => failures.length > 0)
    assert.match(JSON.stringify(failures[0]), /changed since it was stored/)
    const second = async () => (await (await getSecond()).bytes()).length
    if (part === 2) await assert.rejects(second)
    else assert.equal(await second(), CHUNK)
  })
}

test('a download whose first bytes have changed on the disk is refused with the reason', async (t) => {
  const { key, url, changeByte, failures, damaged } = await anObject(t, { chunkSize: 1000 })
  await changeByte(1, 0)
  await assertRefused(await fetch(url), 409, 'damaged')
  await until('the damage is reported', () => damaged.length > 0)
  assert.deepEqual(damaged, [key])
  assert.match(JSON.stringify(failures), /changed since it was stored/)
})

test('if the disk fails before the first byte of a download, the response is 503, and the log gives the reason', async (t) => {
  const { url, pathOf, getSecond, failures, damaged } = await anObject(t)
  const path = pathOf(2)
  await rename(path, `${path}-away`)
  // The file system refuses to open it: ELOOP.
  await symlink(path, path)
  await assertRefused(await getSecond(), 503, 'storage_unavailable')
  await until('the failure is reported', () => failures.length > 0)
  assert.match(JSON.stringify(failures), /ELOOP/)
  assert.doesNotMatch(JSON.stringify(failures), /signature=/)
  // After the first byte, the connection breaks.
  await assert.rejects(async () => (await fetch(url)).bytes())
  await rm(path)
  await rename(`${path}-away`, path)
  assert.equal((await (await getSecond()).bytes()).length, CHUNK)
  assert.deepEqual(damaged, [])
})

test('a file with a missing part is damaged, and a file without any part was deleted or lost', async (t) => {
  const { key, url, folder, pathOf, getSecond, failures, damaged } = await anObject(t)
  await rm(pathOf(2))
  await assertRefused(await getSecond(), 409, 'damaged')
  await assert.rejects(async () => (await fetch(url)).bytes())
  await until('the damage is reported', () => damaged.length === 2)
  assert.match(JSON.stringify(failures), /00002 is missing/)
  failures.length = 0
  await rm(folder, { recursive: true })
  await assertRefused(await fetch(url), 404, 'object_not_found')
  await until('the missing file is reported', () => damaged.length === 3)
  assert.deepEqual(new Set(damaged), new Set([key]))
  // Deleted files are not failures.
  assert.deepEqual(failures, [])
})

test('while the disk is not mounted, downloads and parts are refused with 503', async (t) => {
  const { url, directory, failures, damaged, storage } = await anObject(t)
  const upload = { key: randomUUID(), id: randomUUID() }
  await storage.createUpload({ ...upload, mime: 'text/plain' })
  const range = { number: 1, start: 0, end: 3 }
  const [partUrl = ''] = (await storage.signParts(upload, [range], later())).urls
  const put = () => fetch(partUrl, { method: 'PUT', body: 'abc' })
  await rename(directory, `${directory}-away`)
  await assertRefused(await fetch(url), 503, 'storage_unavailable')
  await assertRefused(await put(), 503, 'storage_unavailable')
  await rename(`${directory}-away`, directory)
  await until('both are reported', () => failures.length === 2)
  assert.deepEqual(damaged, [])
  assert.equal((await fetch(url)).status, 200)
  assert.equal((await put()).status, 200)
})

test('concurrent clients get the right bytes, even if some are slow and others disconnect', async (t) => {
  const chunkSize = 4_000_000
  const bytes = new Uint8Array(someBytes(2 * chunkSize))
  const { url, failures } = await anObject(t, { chunkSize, bytes })
  /** Disconnects after `until` bytes. */
  async function download(start: number, pauses: number, until: number): Promise<void> {
    const headers = start > 0 ? { Range: `bytes=${start}-` } : undefined
    const response = await fetch(url, headers && { headers })
    let at = start
    for await (const chunk of response.body ?? []) {
      assert.ok(Buffer.from(chunk).equals(bytes.subarray(at, at + chunk.length)), `at ${at}`)
      at += chunk.length
      for (let turn = 0; turn < pauses; turn += 1) await nextTurn()
      if (at >= until) return
    }
    assert.equal(at, bytes.length)
  }
  const downloads = Array.from({ length: 30 }, (_, index) =>
    download((index % 4) * 1_500_001, (index % 3) * 20, index % 5 === 0 ? 6_000_000 : Infinity),
  )
  await Promise.all(downloads)
  assert.deepEqual(failures, [])
})

test('the number of large buffers is limited, and a buffer that is still in use is not lent again', () => {
  const buffers = openDownloadBuffers()
  const lent = Array.from({ length: 100 }, () => buffers.lend(1e9))
  const large = lent.filter(({ length }) => length === 512 * 1024)
  assert.equal(large.length, 24)
  assert.equal(new Set(lent).size, 100)
  const [dropped, returned] = large
  assert.ok(dropped && returned)
  buffers.drop(dropped)
  buffers.giveBack(returned)
  assert.equal(buffers.lend(1e9), returned)
  const next = buffers.lend(1e9)
  assert.equal(next.length, 512 * 1024)
  assert.ok(!lent.includes(next))
  assert.equal(buffers.lend(1e9).length, 64 * 1024)
  assert.equal(openDownloadBuffers().lend(1000).length, 64 * 1024)
})

test('Range headers are parsed as RFC 9110 specifies', () => {
  const expected: [string | undefined, number, ReturnType<typeof parseByteRange>][] = [
    [undefined, 10, 'whole'],
    ['bytes=0-4', 10, { start: 0, end: 5 }],
    ['bytes=4-4', 10, { start: 4, end: 5 }],
    ['bytes=5-', 10, { start: 5, end: 10 }],
    ['bytes=-3', 10, { start: 7, end: 10 }],
    ['bytes=-30', 10, { start: 0, end: 10 }],
    ['bytes=5-300', 10, { start: 5, end: 10 }],
    ['bytes=10-', 10, 'unsatisfiable'],
    ['bytes=-0', 10, 'unsatisfiable'],
    ['bytes=0-0', 0, 'unsatisfiable'],
    ['bytes=5-4', 10, 'whole'],
    ['bytes=-', 10, 'whole'],
    ['bytes=0-1,4-5', 10, 'whole'],
    ['lines=0-1', 10, 'whole'],
    ['bytes=a-b', 10, 'whole'],
  ]
  for (const [header, size, range] of expected) {
    assert.deepEqual(parseByteRange(header, size), range, header)
  }
})
