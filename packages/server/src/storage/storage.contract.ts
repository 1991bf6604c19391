import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { aSlowPut } from '@stowage/testing/service/connections'
import { DamagedObject } from '../domain/errors.ts'
import { partPlan, partRange, partRanges } from '../domain/parts.ts'
import type { Storage, StorageUpload } from './storage.ts'

type OpenStorage = (t: TestContext) => Promise<{
  storage: Storage
  /** The minimum size of a part other than the last. */
  chunkSize: number
  /** What happens to a part that is sent after the completion. */
  latePart: 'is refused' | 'breaks the object'
}>

const HOUR_MS = 3_600_000

/** The tests that every storage engine must pass. */
export function testStorageContract(engine: string, open: OpenStorage): void {
  const name = (sentence: string) => `${engine}: ${sentence}`

  async function anUpload(t: TestContext, { chunks = 2, rest = 5 } = {}) {
    const { storage, chunkSize, latePart } = await open(t)
    const plan = partPlan(chunks * chunkSize + rest, chunkSize)
    const bytes = Buffer.alloc(plan.size)
    for (const index of bytes.keys()) bytes[index] = (index * 31 + (index >> 8)) % 251
    const key = randomUUID()
    const id = await storage.createUpload({ key, id: randomUUID(), mime: 'text/plain' })
    const upload: StorageUpload = { key, id }
    cleanUp(t, async () => {
      await storage.abortUpload(upload)
      await storage.removeObject(key)
    })
    const later = new Date(Date.now() + HOUR_MS)
    const ranges = partRanges(plan)
    const { urls } = await storage.signParts(upload, ranges, later)

    async function put(number: number, body = bytesOf(number)): Promise<Response> {
      return fetch(urls[number - 1] ?? '', { method: 'PUT', body })
    }
    function bytesOf(number: number): Uint8Array<ArrayBuffer> {
      const { start, end } = partRange(plan, number)
      return new Uint8Array(bytes.subarray(start, end))
    }
    async function putAll(): Promise<{ number: number; etag: string }[]> {
      return Promise.all(
        ranges.toReversed().map(async ({ number }) => {
          const response = await put(number)
          assert.equal(response.status, 200, await response.text())
          return { number, etag: etagOf(response) }
        }),
      )
    }
    async function downloadUrl(filename = 'a.txt'): Promise<string> {
      const object = { key, plan, filename, mime: 'text/plain' }
      return (await storage.signDownload(object, later)).url
    }
    return {
      storage,
      plan,
      bytes,
      upload,
      ranges,
      urls,
      put,
      putAll,
      bytesOf,
      downloadUrl,
      chunkSize,
      latePart,
    }
  }

  test(
    name('the storage stays bound to the first database until its identity is replaced'),
    async (t) => {
      const { storage } = await open(t)
      const before = await storage.readIdentity()
      const racing = await Promise.all([1, 2, 3, 4].map(() => storage.createIdentity('one')))
      const written = await storage.readIdentity()
      assert.equal(written?.databaseId, before?.databaseId ?? 'one')
      assert.deepEqual(
        racing,
        racing.map(() => written),
      )
      assert.deepEqual(await storage.createIdentity('two'), written)
      assert.deepEqual(await storage.replaceIdentity('two'), await storage.readIdentity())
      assert.equal((await storage.readIdentity())?.databaseId, 'two')
      if (before !== undefined) await storage.replaceIdentity(before.databaseId)
      assert.ok(
        !(await Array.fromAsync(storage.listObjects())).some(({ key }) => /ident/.test(key)),
      )
    },
  )

  test(name('the secret key is written once, and is not an object'), async (t) => {
    const { storage } = await open(t)
    const before = await storage.readSecretKey()
    const key = Buffer.alloc(32, 1).toString('base64')
    await storage.createSecretKey(before ?? key)
    await storage.createSecretKey(Buffer.alloc(32, 2).toString('base64'))
    assert.equal(await storage.readSecretKey(), before ?? key)
    assert.ok(!(await Array.fromAsync(storage.listObjects())).some(({ key }) => /secret/.test(key)))
  })

  test(name('parts sent in any order become one object'), async (t) => {
    const { storage, upload, plan, bytes, putAll, downloadUrl } = await anUpload(t)
    const parts = await putAll()
    assert.deepEqual(await storage.completeUpload(upload, plan, parts), { outcome: 'completed' })
    const response = await fetch(await downloadUrl())
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'text/plain')
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes)
  })

  test(name('an empty file is one empty part'), async (t) => {
    const { storage, upload, plan, putAll, downloadUrl } = await anUpload(t, {
      chunks: 0,
      rest: 0,
    })
    const parts = await putAll()
    assert.deepEqual(await storage.completeUpload(upload, plan, parts), { outcome: 'completed' })
    const response = await fetch(await downloadUrl())
    assert.equal((await response.arrayBuffer()).byteLength, 0)
  })

  test(name('it lists complete parts with their ETags and sizes'), async (t) => {
    const { storage, upload, put, plan } = await anUpload(t)
    const second = await put(2)
    const third = await put(3)
    const listed = (await storage.listParts(upload)) ?? []
    for (const { receivedAt } of listed) {
      // Some storage rounds to seconds.
      assert.ok(Math.abs(Date.now() - receivedAt.getTime()) < 60_000, `${receivedAt}`)
    }
    const facts = listed.map(({ number, etag, size }) => ({ number, etag, size }))
    assert.deepEqual(facts, [
      { number: 2, etag: etagOf(second), size: plan.chunkSize },
      { number: 3, etag: etagOf(third), size: plan.size % plan.chunkSize },
    ])
  })

  test(
    name('equal bytes have equal ETags, and different bytes have different ETags'),
    async (t) => {
      const { put, bytesOf } = await anUpload(t)
      const first = etagOf(await put(1))
      assert.equal(etagOf(await put(1)), first)
      assert.notEqual(
        etagOf(
          await put(
            1,
            bytesOf(2).map((byte) => byte ^ 1),
          ),
        ),
        first,
      )
    },
  )

  test(name('a repeated part replaces the earlier one'), async (t) => {
    const { storage, upload, plan, put, putAll, bytesOf, downloadUrl } = await anUpload(t)
    await put(1, bytesOf(1).fill(7))
    const parts = await putAll()
    assert.deepEqual(await storage.completeUpload(upload, plan, parts), { outcome: 'completed' })
    const response = await fetch(await downloadUrl(), { headers: { Range: 'bytes=0-9' } })
    assert.deepEqual(new Uint8Array(await response.arrayBuffer()), bytesOf(1).slice(0, 10))
  })

  test(name('a body of the wrong length is refused, and nothing of it is stored'), async (t) => {
    const { storage, upload, put, bytesOf } = await anUpload(t)
    const tooLong = new Uint8Array([...bytesOf(3), 1])
    for (const body of [bytesOf(3).slice(1), tooLong, new Uint8Array()]) {
      const response = await put(3, body)
      assert.ok(response.status >= 400 && response.status < 500, `status ${response.status}`)
    }
    assert.deepEqual(await storage.listParts(upload), [])
  })

  test(name('a modified or expired URL is refused'), async (t) => {
    const { storage, upload, ranges, bytesOf } = await anUpload(t)
    const {
      urls: [expired],
    } = await storage.signParts(upload, ranges, new Date(Date.now() - HOUR_MS))
    const {
      urls: [valid = ''],
    } = await storage.signParts(upload, ranges, new Date(Date.now() + HOUR_MS))
    const changed = valid.replace(/.$/, (last) => (last === 'A' ? 'E' : 'A'))
    for (const url of [expired ?? '', changed]) {
      const response = await fetch(url, { method: 'PUT', body: bytesOf(1) })
      assert.equal(response.status, 403)
    }
    assert.deepEqual(await storage.listParts(upload), [])
  })

  test(
    name('a completion with a missing part or a wrong ETag is refused, and can be retried'),
    async (t) => {
      const { storage, upload, plan, put, putAll } = await anUpload(t)
      await put(1)
      const missing = await storage.completeUpload(upload, plan, [])
      assert.deepEqual(missing, { outcome: 'refused', parts: [2, 3] })
      const parts = await putAll()
      const wrong = parts.map((part) =>
        part.number === 2 ? { ...part, etag: 'f'.repeat(32) } : part,
      )
      const refused = await storage.completeUpload(upload, plan, wrong)
      assert.deepEqual(refused, { outcome: 'refused', parts: [2] })
      assert.equal((await storage.listParts(upload))?.length, 3)
      for (const list of [parts, parts, []]) {
        assert.deepEqual(await storage.completeUpload(upload, plan, list), { outcome: 'completed' })
      }
    },
  )

  test(name('concurrent completions all succeed'), async (t) => {
    const { storage, upload, plan, bytes, putAll, downloadUrl } = await anUpload(t)
    const parts = await putAll()
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () => storage.completeUpload(upload, plan, parts)),
    )
    assert.deepEqual(new Set(outcomes.map(({ outcome }) => outcome)), new Set(['completed']))
    const response = await fetch(await downloadUrl())
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes)
  })

  test(
    name('completing a completed upload with other parts does not change the object'),
    async (t) => {
      const { storage, upload, plan, bytes, put, putAll, bytesOf, downloadUrl } = await anUpload(t)
      const other = etagOf(await put(1, bytesOf(1).fill(7)))
      await putAll()
      await storage.completeUpload(upload, plan, [])
      const late = await storage.completeUpload(upload, plan, [{ number: 1, etag: other }])
      assert.deepEqual(late, { outcome: 'completed' })
      const response = await fetch(await downloadUrl())
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes)
    },
  )

  test(name('a part sent after the completion does not change the object'), async (t) => {
    const { storage, upload, plan, bytes, latePart, ...of } = await anUpload(t)
    const parts = await of.putAll()
    await storage.completeUpload(upload, plan, parts)
    const late = await of.put(1, of.bytesOf(1).fill(7))
    await late.text()
    for (const list of [parts, []]) {
      assert.deepEqual(await storage.completeUpload(upload, plan, list), { outcome: 'completed' })
    }
    const url = await of.downloadUrl()
    if (latePart === 'is refused') {
      assert.equal(late.status, 404)
      assert.equal(await storage.listParts(upload), undefined)
    } else {
      assert.equal(late.status, 200)
      assert.equal((await storage.listParts(upload))?.length, parts.length)
      const broken = await fetch(url)
      await broken.text()
      assert.equal(broken.status, 409)
      assert.equal((await of.put(1)).status, 200)
    }
    assert.deepEqual(Buffer.from(await (await fetch(url)).arrayBuffer()), bytes)
  })

  test(name('an aborted upload is removed with its parts, and refuses new parts'), async (t) => {
    const { storage, upload, plan, put, putAll } = await anUpload(t)
    await putAll()
    await storage.abortUpload(upload)
    await storage.abortUpload(upload)
    assert.equal(await storage.listParts(upload), undefined)
    assert.deepEqual(await storage.completeUpload(upload, plan, []), { outcome: 'gone' })
    assert.equal((await put(1)).status, 404)
    assert.equal(await storage.listParts(upload), undefined)
  })

  test(name('parts in transfer while an upload is aborted are removed'), async (t) => {
    const { storage, upload, ranges, put } = await anUpload(t)
    const transfers = ranges.map(({ number }) => put(number))
    await storage.abortUpload(upload)
    await Promise.all(transfers)
    assert.equal(await storage.listParts(upload), undefined)
  })

  test(name('a part that ends after the abort does not recreate the upload'), async (t) => {
    const { storage, upload, urls, bytesOf } = await anUpload(t)
    const slow = await aSlowPut(urls[0] ?? '', Buffer.from(bytesOf(1)))
    await storage.abortUpload(upload)
    // The PUT may be refused or disconnected.
    await slow.finish().catch(() => {})
    await storage.abortUpload(upload)
    assert.equal(await storage.listParts(upload), undefined)
    const open = await Array.fromAsync(storage.listUploads())
    assert.ok(!open.some(({ key }) => key === upload.key))
  })

  test(name('it lists uploads while they are open'), async (t) => {
    const { storage, upload, plan, putAll } = await anUpload(t)
    const isListed = async () => {
      const open = await Array.fromAsync(storage.listUploads())
      return open.some(({ id, key }) => id === upload.id && key === upload.key)
    }
    assert.equal(await isListed(), true)
    await storage.completeUpload(upload, plan, await putAll())
    assert.equal(await isListed(), false)
  })

  test(name('closing an upload whose object is stored keeps the object'), async (t) => {
    const { storage, upload, plan, bytes, ranges, putAll, bytesOf, downloadUrl } = await anUpload(t)
    const { key } = upload
    const id = await storage.createUpload({ key, id: randomUUID(), mime: 'text/plain' })
    const other = { key, id }
    const { urls } = await storage.signParts(other, ranges, new Date(Date.now() + HOUR_MS))
    for (const [index, { number }] of ranges.entries()) {
      const sent = await fetch(urls[index] ?? '', { method: 'PUT', body: bytesOf(number) })
      assert.equal(sent.status, 200)
    }
    await assert.rejects(storage.closeUpload(other))
    assert.equal((await storage.listParts(other))?.length, plan.count)
    await storage.completeUpload(upload, plan, await putAll())
    await storage.closeUpload(other)
    await storage.closeUpload(other)
    assert.deepEqual(await Array.fromAsync(storage.listUploads(key)), [])
    const response = await fetch(await downloadUrl())
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes)
  })

  test(name('a range may span several parts'), async (t) => {
    const { storage, upload, plan, bytes, putAll, downloadUrl, chunkSize } = await anUpload(t)
    await storage.completeUpload(upload, plan, await putAll())
    const url = await downloadUrl()
    const cases: [string, number, number][] = [
      [`bytes=${chunkSize - 3}-${chunkSize + 2}`, chunkSize - 3, chunkSize + 3],
      [`bytes=1-${plan.size}`, 1, plan.size],
      ['bytes=-4', plan.size - 4, plan.size],
      [`bytes=${2 * chunkSize}-`, 2 * chunkSize, plan.size],
    ]
    for (const [range, start, end] of cases) {
      const response = await fetch(url, { headers: { Range: range } })
      assert.equal(response.status, 206, range)
      assert.equal(response.headers.get('content-range'), `bytes ${start}-${end - 1}/${plan.size}`)
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes.subarray(start, end), range)
    }
    const outside = await fetch(url, { headers: { Range: `bytes=${plan.size}-` } })
    assert.equal(outside.status, 416)
  })

  test(name('a download is an attachment with its name in any script'), async (t) => {
    const { storage, upload, plan, putAll, downloadUrl } = await anUpload(t)
    await storage.completeUpload(upload, plan, await putAll())
    const response = await fetch(await downloadUrl('日本 "1".txt'))
    await response.arrayBuffer()
    const disposition = response.headers.get('content-disposition') ?? ''
    assert.match(disposition, /^attachment/)
    assert.match(disposition, /filename\*=UTF-8''%E6%97%A5%E6%9C%AC%20%221%22\.txt/)
  })

  test(name('an object that browsers may show is inline, with ranges'), async (t) => {
    const { storage, upload, plan, bytes, putAll } = await anUpload(t)
    await storage.completeUpload(upload, plan, await putAll())
    const object = {
      key: upload.key,
      plan,
      filename: 'a.pdf',
      mime: 'application/pdf',
      isInline: true,
    }
    const { url } = await storage.signDownload(object, new Date(Date.now() + HOUR_MS))
    const response = await fetch(url, { headers: { Range: 'bytes=1-4' } })
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes.subarray(1, 5))
    const { headers } = response
    assert.match(headers.get('content-disposition') ?? '', /^inline; filename="a\.pdf"/)
    assert.equal(headers.get('content-type'), 'application/pdf')
    assert.doesNotMatch(headers.get('content-security-policy') ?? '', /sandbox/)
  })

  test(name('a removed object is gone, and removing it again is not an error'), async (t) => {
    const { storage, upload, plan, putAll, downloadUrl } = await anUpload(t)
    await storage.completeUpload(upload, plan, await putAll())
    await storage.removeObject(upload.key)
    await storage.removeObject(upload.key)
    assert.equal((await fetch(await downloadUrl())).status, 404)
  })

  test(name('the parts of an object can be read one by one'), async (t) => {
    const { storage, upload, plan, ranges, putAll, bytesOf } = await anUpload(t)
    const object = { key: upload.key, plan }
    await assert.rejects(Array.fromAsync(storage.readPart(object, 1)), DamagedObject)
    await storage.completeUpload(upload, plan, await putAll())
    for (const { number } of ranges) {
      const chunks = await Array.fromAsync(storage.readPart(object, number))
      assert.deepEqual(Buffer.concat(chunks), Buffer.from(bytesOf(number)))
    }
    const longer = { key: upload.key, plan: { ...plan, size: plan.size + 1 } }
    await assert.rejects(Array.fromAsync(storage.readPart(longer, plan.count)), DamagedObject)
  })

  test(name('the part of an empty object is empty'), async (t) => {
    const { storage, upload, plan, putAll } = await anUpload(t, { chunks: 0, rest: 0 })
    await storage.completeUpload(upload, plan, await putAll())
    assert.equal((await storage.findObject(upload.key))?.size, 0)
    const chunks = await Array.fromAsync(storage.readPart({ key: upload.key, plan }, 1))
    assert.equal(Buffer.concat(chunks).length, 0)
  })

  test(name('objects are found by key, and listed in the order of their keys'), async (t) => {
    const { storage, upload, plan, putAll, chunkSize } = await anUpload(t)
    assert.equal(await storage.findObject(upload.key), undefined)
    await storage.completeUpload(upload, plan, await putAll())
    const found = { key: upload.key, size: plan.size }
    assert.deepEqual(await storage.findObject(upload.key), found)
    const others = await Promise.all(
      ['0', 'f', '8'].map(async (first) => {
        const key = first + randomUUID().slice(1)
        const id = await storage.createUpload({ key, id: randomUUID(), mime: 'text/plain' })
        const small = partPlan(1, chunkSize)
        const later = new Date(Date.now() + HOUR_MS)
        const {
          urls: [url = ''],
        } = await storage.signParts({ key, id }, partRanges(small), later)
        await fetch(url, { method: 'PUT', body: 'x' })
        await storage.completeUpload({ key, id }, small, [])
        return { key, size: 1 }
      }),
    )
    const expected = [found, ...others].sort((a, b) => (a.key < b.key ? -1 : 1))
    assert.deepEqual(await Array.fromAsync(storage.listObjects()), expected)
    assert.ok(storage.describeObject(upload.key).endsWith(upload.key))
    assert.equal(await storage.recoverObject(found.key, found.size), true)
    assert.equal(await storage.recoverObject(found.key, found.size + 1), false)
    assert.equal(await storage.recoverObject(randomUUID(), found.size), false)
  })

  test(name('the health check succeeds'), async (t) => {
    const { storage } = await open(t)
    await storage.check()
  })
}

function etagOf(response: Response): string {
  return (response.headers.get('etag') ?? '').replaceAll('"', '')
}
