import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { PartUrl, ReceivedPart, UploadSession } from '@stowage/protocol'
import { callerWith } from '@stowage/testing/service/accounts'
import {
  aService,
  type TestService,
  type TestServiceOptions,
} from '@stowage/testing/service/service'
import { assertUsageConsistent } from '@stowage/testing/service/shop'
import {
  API,
  complete,
  download,
  putPart,
  putParts,
  requestSession,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'
import type { Engines } from '../../../src/compose.ts'
import { forAccount } from '../../../src/operations/context.ts'
import { completeUpload } from '../../../src/operations/uploads/complete.ts'
import { resizeUpload } from '../../../src/operations/uploads/resize.ts'
import { reserveProvisionally } from '../../../src/operations/uploads/space.ts'
import { aPage } from '../../support/upload-tokens.ts'

const CHUNK = 10

function start(
  t: TestContext,
  settings: Record<string, string> = {},
  options?: TestServiceOptions,
): Promise<TestService> {
  return aService(t, { STOWAGE_CHUNK_SIZE: `${CHUNK}`, ...settings }, undefined, options)
}

function resize(service: TestService, { id }: UploadSession, size: number) {
  return service.call('PATCH', `${API}/assets/${id}/upload`, { size })
}

const numbersOf = (urls: PartUrl[]) => urls.map(({ part }) => part)
const receivedOf = (parts: ReceivedPart[]) => parts.map(({ PartNumber }) => PartNumber)

async function send(urls: PartUrl[], bytes: Buffer): Promise<void> {
  for (const { url, start, end } of urls) {
    assert.equal((await putPart(url, bytes.subarray(start, end))).status, 200)
  }
}

async function reservedBy({ call }: TestService): Promise<number> {
  return (await call('GET', `${API}/account`)).body.data.reserved
}

test('an upload of unknown length can grow while it is sent, and ends with its actual size', async (t) => {
  const service = await start(t)
  const bytes = someBytes(47)
  const session = await requestSession(service.baseUrl, { bytes: bytes.subarray(0, 20) })
  await send(session.urls, bytes)
  const grown = await resize(service, session, 60)
  assert.deepEqual([grown.status, grown.body.status], [200, 'uploading'])
  assert.deepEqual([session.chunk_size, grown.body.chunk_size], [CHUNK, CHUNK])
  assert.deepEqual(numbersOf(grown.body.urls), [3, 4, 5, 6])
  assert.deepEqual(receivedOf(grown.body.received), [1, 2])
  assert.equal(await reservedBy(service), 60)
  await send(grown.body.urls.slice(0, 2), bytes)
  const ended = await resize(service, session, 47)
  assert.deepEqual(
    ended.body.urls.map(({ part, start, end }: PartUrl) => [part, start, end]),
    [[5, 40, 47]],
  )
  await send(ended.body.urls, bytes)
  const response = await complete(service.baseUrl, session)
  assert.deepEqual([response.status, response.body.data.bytes], [200, 47])
  assert.deepEqual(await download(service.baseUrl, session.id), bytes)
  assert.equal(await reservedBy(service), 0)
  await assertUsageConsistent(service)
})

test('changing the size returns the same response as GET, and repeating it changes nothing', async (t) => {
  const service = await start(t)
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  const first = await resize(service, session, 35)
  const again = await resize(service, session, 35)
  const read = await service.call('GET', `${API}/assets/${session.id}/upload`)
  const facts = ({ body }: typeof first) => ({
    ...body,
    urls_expire_at: null,
    upload_expires_at: null,
    expires_at: null,
    urls: body.urls.map(({ url, ...part }: PartUrl) => part),
  })
  assert.deepEqual(facts(first), facts(read))
  assert.deepEqual(facts(again), facts(read))
  assert.equal(await reservedBy(service), 35)
})

test('a received part whose length does not fit the new size counts as missing', async (t) => {
  const service = await start(t)
  const bytes = someBytes(40)
  const session = await requestSession(service.baseUrl, { bytes: bytes.subarray(0, 25) })
  await putParts(session, bytes.subarray(0, 25))
  const grown = await resize(service, session, 40)
  assert.deepEqual(numbersOf(grown.body.urls), [3, 4])
  const early = await complete(service.baseUrl, session)
  assert.deepEqual([early.status, early.body.errors.parts.length], [422, 1])
  assert.match(early.body.errors.parts[0], /^3, 4 not received/)
  await send(grown.body.urls, bytes)
  assert.equal((await complete(service.baseUrl, session)).status, 200)
  assert.deepEqual(await download(service.baseUrl, session.id), bytes)
})

test('a part beyond the new size is reported, and accepted after the size grows again', async (t) => {
  const service = await start(t)
  const bytes = someBytes(30)
  const session = await requestSession(service.baseUrl, { bytes })
  await send(session.urls.slice(0, 2), bytes)
  assert.equal((await resize(service, session, 20)).status, 200)
  // The URL of the third part was signed before the change and is still valid.
  await send(session.urls.slice(2), bytes)
  const refused = await complete(service.baseUrl, session)
  assert.equal(refused.status, 422)
  assert.match(refused.body.errors.parts[0], /^3 received beyond the size/)
  assert.equal((await resize(service, session, 30)).status, 200)
  assert.equal((await complete(service.baseUrl, session)).status, 200)
  assert.deepEqual(await download(service.baseUrl, session.id), bytes)
})

test('a size that exceeds the plan returns 402 with the numbers and changes nothing', async (t) => {
  const service = await start(t, { STOWAGE_PLAN_STORAGE: '100' })
  const session = await requestSession(service.baseUrl, { bytes: someBytes(25) })
  await requestSession(service.baseUrl, { bytes: someBytes(30) })
  const { status, body } = await resize(service, session, 71)
  assert.equal(status, 402)
  const { message, ...facts } = body
  assert.deepEqual(facts, {
    code: 'storage_exceeded',
    needed: 46,
    available: 45,
    limit: 100,
    stored: 0,
    reserved: 55,
  })
  assert.match(message, /46 B more/)
  assert.equal(await reservedBy(service), 55)
  assert.equal((await resize(service, session, 70)).status, 200)
})

test('a request with the Idempotency-Key of a resized upload returns its current state', async (t) => {
  const service = await start(t)
  const file = { name: 'a', size: 25, mime: 'text/plain' }
  const request = () =>
    service.call('POST', `${API}/assets/signed`, file, { 'Idempotency-Key': 'resized' })
  const { body: session } = await request()
  await resize(service, session, 45)
  const repeated = await request()
  assert.deepEqual([repeated.status, repeated.body.id], [201, session.id])
  assert.deepEqual(numbersOf(repeated.body.urls), [1, 2, 3, 4, 5])
})

test('a completion that has checked the parts against the old size fails if the size changes', async (t) => {
  const service = await start(t)
  const { context } = service
  const bytes = someBytes(30)
  const session = await requestSession(service.baseUrl, { bytes })
  await putParts(session, bytes)
  const [own] = await context.database.compareUsage()
  const account = forAccount(context, own?.accountId ?? '')
  const { data } = account
  let isResized = false
  // The size changes after the parts were checked and before the completion begins.
  const between = {
    ...account,
    data: {
      ...data,
      async beginCompletion(...call: Parameters<typeof data.beginCompletion>) {
        if (!isResized) assert.equal((await resize(service, session, 40)).status, 200)
        isResized = true
        return data.beginCompletion(...call)
      },
    },
  }
  await assert.rejects(
    completeUpload(between, session.id, { uploadId: session.upload_id, parts: [] }),
    (error: Error & { details?: unknown }) => /parts/.test(JSON.stringify(error)),
  )
  const asset = await service.call('GET', `${API}/assets/${session.id}`)
  assert.deepEqual([asset.body.data.status, asset.body.data.bytes], ['uploading', 40])
  const { body } = await service.call('GET', `${API}/assets/${session.id}/upload`)
  await send(body.urls, someBytes(40))
  assert.equal((await complete(service.baseUrl, session)).status, 200)
  assert.equal((await download(service.baseUrl, session.id)).length, 40)
  await assertUsageConsistent(service)
})

test('concurrent completions and size changes leave an asset whose size matches its bytes', async (t) => {
  const service = await start(t)
  for (let round = 0; round < 8; round += 1) {
    const bytes = someBytes(30, round + 1)
    const session = await requestSession(service.baseUrl, { bytes })
    await putParts(session, bytes)
    const calls = [
      () => complete(service.baseUrl, session),
      () => resize(service, session, 35),
      () => complete(service.baseUrl, session),
    ]
    const rotated = [...calls.slice(round % 3), ...calls.slice(0, round % 3)]
    const statuses = (await Promise.all(rotated.map((call) => call()))).map(({ status }) => status)
    assert.ok(
      statuses.every((status) => [200, 409, 422].includes(status)),
      `${statuses}`,
    )
    const { data } = (await service.call('GET', `${API}/assets/${session.id}`)).body
    if (data.status === 'ready') {
      assert.equal(data.bytes, 30)
      assert.deepEqual(await download(service.baseUrl, session.id), bytes)
    } else assert.equal(data.bytes, 35)
  }
  await assertUsageConsistent(service)
})

test('after the storage refused a completion, the size is final and the upload can still be completed', async (t) => {
  let isRefusing = true
  const wrap = ({ storage }: Engines): Pick<Engines, 'storage'> => ({
    storage: {
      ...storage,
      completeUpload: async (...request) =>
        isRefusing ? { outcome: 'refused', parts: [1] } : storage.completeUpload(...request),
    },
  })
  const service = await start(t, {}, { wrap })
  const bytes = someBytes(25)
  const session = await requestSession(service.baseUrl, { bytes })
  await send(session.urls, bytes)
  assert.equal((await complete(service.baseUrl, session)).status, 422)
  isRefusing = false
  const { status, body } = await resize(service, session, 30)
  assert.deepEqual([status, body.code], [409, 'upload_completing'])
  assert.equal(await reservedBy(service), 25)
  assert.equal((await complete(service.baseUrl, session)).status, 200)
  assert.deepEqual(await download(service.baseUrl, session.id), bytes)
})

const PLAN = 100

/** Stores files of these sizes and deletes them. */
async function fillTrash({ baseUrl, call }: TestService, sizes: number[]): Promise<void> {
  for (const size of sizes) {
    const { id } = await uploadFile(baseUrl, { bytes: someBytes(size) })
    assert.equal((await call('DELETE', `${API}/assets/${id}`)).status, 202)
  }
}

async function accountOf({ call }: TestService) {
  const { stored, reserved, trash } = (await call('GET', `${API}/account`)).body.data
  return { stored, reserved, trash }
}

const endOf = ({ urls }: { urls: PartUrl[] }) => urls.at(-1)?.end

test('an estimated size takes only free room, in whole parts, and never removes trash', async (t) => {
  const service = await start(t, { STOWAGE_PLAN_STORAGE: `${PLAN}` })
  const { call } = service
  await fillTrash(service, [22, 22])
  const sign = (body: object) => call('POST', `${API}/assets/signed`, { name: 'a', ...body })
  const { status, body: session } = await sign({ size: 64, min_size: 16 })
  assert.deepEqual([status, endOf(session)], [201, 50])
  assert.deepEqual(await accountOf(service), { stored: 0, reserved: 50, trash: 44 })
  const change = (body: object) => call('PATCH', `${API}/assets/${session.id}/upload`, body)

  // No more whole part is free, so the size stays.
  const same = await change({ size: 90, min_size: 20 })
  assert.deepEqual([same.status, endOf(same.body)], [200, 50])
  // Nor does it become smaller if the plan does.
  const { database } = service.context
  const [{ id = '' } = {}] = await database.listAccounts()
  await database.changePlan(id, { name: 'small', storage: 40 })
  assert.equal(endOf((await change({ size: 90, min_size: 20 })).body), 50)
  await database.changePlan(id, { name: 'default', storage: PLAN })
  // 58 bytes are certain: the oldest file in the trash is in the way.
  const more = await change({ size: 90, min_size: 58 })
  assert.deepEqual([more.status, endOf(more.body)], [200, 58])
  assert.deepEqual(await accountOf(service), { stored: 0, reserved: 58, trash: 22 })
  const refused = await change({ size: 200, min_size: 101 })
  assert.deepEqual([refused.status, refused.body.code], [402, 'storage_exceeded'])
  assert.deepEqual(await accountOf(service), { stored: 0, reserved: 58, trash: 22 })
  assert.equal((await change({ size: 3 })).status, 200)
  assert.deepEqual(await accountOf(service), { stored: 0, reserved: 3, trash: 22 })

  for (const body of [
    { size: 10, min_size: 11 },
    { size: 10, min_size: -1 },
    { size: 10, min_size: 'x' },
  ]) {
    for (const response of [await sign(body), await change(body)]) {
      assert.equal(response.status, 422)
      assert.deepEqual(Object.keys(response.body.errors), ['min_size'])
    }
  }
  await assertUsageConsistent(service)
})

test('an estimate takes nothing away from an upload whose size another call has changed meanwhile', async (t) => {
  const service = await start(t, { STOWAGE_PLAN_STORAGE: `${PLAN}` })
  await requestSession(service.baseUrl, { bytes: someBytes(25) })
  const session = await requestSession(service.baseUrl, { bytes: someBytes(20) })
  const [own] = await service.context.database.compareUsage()
  const account = forAccount(service.context, own?.accountId ?? '')
  const { data } = account
  let isResized = false
  // The size changes after the estimate has read it. Whole parts of the room would be 70 bytes.
  const between = {
    ...account,
    data: {
      ...data,
      async resizeUpload(...call: Parameters<typeof data.resizeUpload>) {
        if (!isResized) assert.equal((await resize(service, session, 75)).status, 200)
        isResized = true
        return data.resizeUpload(...call)
      },
    },
  }
  await resizeUpload(between, session.id, { size: 200, minSize: 20 })
  assert.equal((await data.findUpload(session.id))?.asset.bytes, 75)
  await assertUsageConsistent(service)
})

test('an estimate takes the free space of the disk beside the parts that were received', async (t) => {
  const wrap = ({ storage }: Engines): Pick<Engines, 'storage'> => ({
    storage: { ...storage, freeBytes: async () => 35 },
  })
  const service = await start(t, {}, { wrap })
  const bytes = someBytes(20)
  const session = await requestSession(service.baseUrl, { bytes })
  await send(session.urls, bytes)
  const estimate = { size: 200, min_size: 20 }
  const { status } = await service.call('PATCH', `${API}/assets/${session.id}/upload`, estimate)
  // Whole parts: 20 bytes were received, and 30 more fit.
  assert.deepEqual([status, await reservedBy(service)], [200, 50])
})

test('an estimate that does not fit at all is refused, and removes nothing', async (t) => {
  const service = await start(t, { STOWAGE_PLAN_STORAGE: `${PLAN}` })
  await uploadFile(service.baseUrl, { bytes: someBytes(50) })
  await fillTrash(service, [40])
  const file = { name: 'a', size: 200, min_size: 51 }
  const refused = await service.call('POST', `${API}/assets/signed`, file)
  assert.deepEqual([refused.status, refused.body.needed], [402, 51])
  assert.deepEqual(await accountOf(service), { stored: 50, reserved: 0, trash: 40 })
})

test('if other uploads take the free room meanwhile, an estimate gets what is left', async () => {
  const sizes = { least: 12, wanted: 100, chunkSize: CHUNK }
  const attempts: [number, boolean][] = []
  const { size } = await reserveProvisionally(sizes, async (bytes, isProvisional) => {
    attempts.push([bytes, isProvisional])
    const free = attempts.length === 1 ? 45 : 25
    return bytes <= free ? { outcome: 'reserved' } : { outcome: 'no_free_room', free }
  })
  assert.equal(size, 20)
  assert.deepEqual(attempts, [
    [100, true],
    [40, true],
    [20, true],
  ])
  // A smaller size does not help a token that may start no more files.
  const remaining = { bytes: 50, files: 0 }
  const refused = await reserveProvisionally(sizes, async () => {
    return { outcome: 'token_exceeded', remaining }
  })
  assert.equal(refused.size, 100)
})

test('a request with an estimate can be repeated with its Idempotency-Key', async (t) => {
  const service = await start(t, { STOWAGE_PLAN_STORAGE: `${PLAN}` })
  const file = { name: 'a', size: 640, min_size: 16 }
  const send = (body: object) =>
    service.call('POST', `${API}/assets/signed`, body, { 'Idempotency-Key': 'one' })
  const [first, again, other] = [
    await send(file),
    await send(file),
    await send({ ...file, min_size: 17 }),
  ]
  assert.deepEqual([first.status, again.status, again.body.id], [201, 201, first.body.id])
  assert.equal(other.body.code, 'idempotency_key_reused')
  assert.deepEqual(await accountOf(service), { stored: 0, reserved: 100, trash: 0 })
})

test('an upload token can change the size of its uploads within its limits', async (t) => {
  const service = await start(t)
  const page = await aPage(service, callerWith(service.baseUrl), { max_bytes: 47, max_files: 2 })
  const file = { name: 'a', size: 640, min_size: 16 }
  const { status, body: session } = await page.call('POST', `${API}/assets/signed`, file)
  assert.deepEqual([status, endOf(session)], [201, 40])
  const change = (body: object) => page.call('PATCH', `${API}/assets/${session.id}/upload`, body)
  const refused = await change({ size: 48 })
  assert.deepEqual([refused.status, refused.body.code], [403, 'upload_token_exceeded'])
  assert.equal((await change({ size: 47 })).status, 200)
  const second = await page.call('POST', `${API}/assets/signed`, { name: 'b', size: 1 })
  assert.equal(second.body.code, 'upload_token_exceeded')
  assert.equal((await change({ size: 30 })).status, 200)
  assert.equal(
    (await page.call('POST', `${API}/assets/signed`, { name: 'b', size: 17 })).status,
    201,
  )
  assert.equal((await change({ size: 31 })).body.code, 'upload_token_exceeded')
})
