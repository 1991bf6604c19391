import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createClient as createBrowserClient } from '@stowage/client'
import { isStowageError, type NodeClient, type Progress } from '@stowage/client/node'
import { until } from '@stowage/testing/machine/until'
import { aService } from '@stowage/testing/service/service'
import { someBytes } from '@stowage/testing/service/upload'
import { sessionOf } from '../src/upload/session.ts'
import { aClient } from './support/client.ts'
import type { Fault } from './support/fault-proxy.ts'
import { aProxiedService } from './support/proxied-service.ts'

const QUIET = { STOWAGE_LOG: 'warn' }
const MB = 1_000_000
const PART = 16 * MB
/** The first declared size. */
const FIRST = 4 * PART
const BLOCK = someBytes(MB)

/** A stream of this many bytes. It reuses the memory of its chunks, as many streams do. */
async function* aStream(size: number, onYield: (bytes: number) => void = () => {}) {
  const memory = new Uint8Array(MB)
  for (let at = 0; at < size; at += MB) {
    memory.set(BLOCK)
    memory[0] = at / MB
    const chunk = memory.subarray(0, Math.min(MB, size - at))
    onYield(at + chunk.length)
    yield chunk
    memory.fill(0)
  }
}

function asReadable(chunks: AsyncIterator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value.slice())
    },
  })
}

/** Compares each chunk with the stream at the same offset, which takes less CPU time than two digests. */
async function assertStored(client: NodeClient, id: string, size: number): Promise<void> {
  const { body } = await client.download(id)
  assert.ok(body)
  let at = 0
  for await (const chunk of body) {
    for (let from = 0; from < chunk.length; ) {
      const inBlock = at % MB
      const length = Math.min(chunk.length - from, MB - inBlock)
      const found = Buffer.from(chunk.buffer, chunk.byteOffset + from, length)
      const isFirst = inBlock === 0 ? 1 : 0
      if (isFirst) assert.equal(found[0], (at / MB) % 256, `byte ${at} of ${size}`)
      const expected = BLOCK.subarray(inBlock + isFirst, inBlock + length)
      assert.ok(found.subarray(isFirst).equals(expected), `bytes from ${at} of ${size}`)
      at += length
      from += length
    }
  }
  assert.equal(at, size)
}

/** Asserts that no byte of the account is reserved or stored. */
async function assertNothingLeft(client: NodeClient): Promise<void> {
  const { stored, reserved } = await client.account()
  assert.deepEqual({ stored, reserved }, { stored: 0, reserved: 0 })
}

/** A service, and the sizes that the client declares to it. */
async function aRecordedService(t: TestContext, settings: Record<string, string> = {}) {
  const { baseUrl } = await aService(t, { ...QUIET, ...settings })
  const declared: number[] = []
  const { client } = await aClient(t, {
    baseUrl,
    fetch(input, init) {
      const { size } = JSON.parse(String(init?.body ?? '{}'))
      if (typeof size === 'number') declared.push(size)
      return fetch(input, init)
    },
  })
  return { client, baseUrl, declared }
}

test('for a stream of unknown length, a larger size than was read is declared, and the actual size at the end', async (t) => {
  const { client, declared } = await aRecordedService(t)
  const size = FIRST + PART + 5
  const seen: Progress[] = []
  const upload = client.upload(aStream(size), {
    name: 'talk.mp4',
    onProgress: (progress) => seen.push(progress),
  })
  const asset = await upload
  assert.deepEqual([asset.bytes, asset.filename, asset.mime], [size, 'talk.mp4', 'video/mp4'])
  await assertStored(client, asset.id, size)
  assert.deepEqual(declared, [FIRST, 2 * FIRST, size])
  assert.ok(seen.some(({ total, secondsLeft }) => total === FIRST && secondsLeft === undefined))
  assert.deepEqual([upload.progress.bytes, upload.progress.total], [size, size])
  assert.equal((await client.account()).reserved, 0)
})

test('a part that was sent before the upload became larger counts once, with its new length', () => {
  const url = { part: 2, start: PART, end: 2 * PART, url: '' }
  const received = [PART, 7].map((size, index) => ({ PartNumber: index + 1, ETag: '', size }))
  const session = sessionOf({
    id: '',
    upload_id: '',
    file_url: '',
    status: 'uploading',
    chunk_size: PART,
    urls_expire_at: null,
    upload_expires_at: null,
    expires_at: null,
    urls: [url],
    received,
  })
  assert.equal(session.bytes, 2 * PART)
})

test('a stream of unknown length can end at any byte', async (t) => {
  const { client, declared } = await aRecordedService(t)
  for (const size of [0, 1, PART - 1, PART, PART + 1, FIRST, FIRST + 1]) {
    declared.splice(0)
    const { id, bytes } = await client.upload(aStream(size))
    assert.equal(bytes, size)
    await assertStored(client, id, size)
    // The length of a stream that ends within the first part is known.
    if (size < PART) assert.deepEqual(declared, [size])
    else assert.deepEqual(declared, [...new Set([FIRST, size])])
  }
})

test('the browser client sends a stream of unknown length, too', async (t) => {
  const { baseUrl, client } = await aRecordedService(t)
  const page = createBrowserClient({ baseUrl })
  const { id } = await page.upload(new Response(asReadable(aStream(2 * PART + 7))))
  await assertStored(client, id, 2 * PART + 7)
})

test('a stream of unknown length is read no faster than it is sent', async (t) => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let puts = 0
  const { api } = await aProxiedService(t, {
    settings: {},
    storage({ method }): Fault {
      if (method === 'PUT') puts += 1
      return method === 'PUT' ? { kind: 'wait', until: released } : { kind: 'pass' }
    },
  })
  const { client } = await aClient(t, { baseUrl: api.url, parallel: 1 })
  let given = 0
  const count = (bytes: number) => {
    given = bytes
  }
  const upload = client.upload(aStream(3 * PART + MB, count))
  await until('the first part is being sent', () => puts > 0)
  await until('the second part is read', () => given >= 2 * PART)
  assert.ok(given <= 2 * PART + MB, `${given} bytes were read`)
  release()
  assert.equal((await upload).bytes, 3 * PART + MB)
})

test('a stream that fits into the plan is stored, although the declared size did not fit', async (t) => {
  const size = FIRST + PART + 5
  const { client, declared } = await aRecordedService(t, { STOWAGE_PLAN_STORAGE: `${size}` })
  assert.equal((await client.upload(aStream(size))).bytes, size)
  assert.deepEqual(declared, [FIRST, 2 * FIRST, size])
})

test('a stream that is smaller than the first declared size fits into a small plan', async (t) => {
  const size = PART + 4 * MB
  const { client, declared } = await aRecordedService(t, { STOWAGE_PLAN_STORAGE: `${50 * MB}` })
  const { id } = await client.upload(aStream(size))
  await assertStored(client, id, size)
  const replaced = await client.replace(id, aStream(size + 1))
  await assertStored(client, replaced.id, size + 1)
  assert.deepEqual(declared, [FIRST, size, FIRST, size + 1])
})

test('a stream removes trash only if its actual size needs the room', async (t) => {
  const { client } = await aRecordedService(t, { STOWAGE_PLAN_STORAGE: `${100 * MB}` })
  const { id } = await client.upload(new Uint8Array(40 * MB))
  await client.delete(id)
  await client.upload(aStream(PART + 4 * MB))
  assert.equal((await client.account()).trash, 40 * MB)
  // It really does not fit, and so nothing is removed.
  await assert.rejects(client.upload(aStream(90 * MB)), (error) =>
    isStowageError(error, 'storage_exceeded'),
  )
  await client.upload(aStream(70 * MB))
  const { stored, reserved, trash } = await client.account()
  assert.deepEqual([stored, reserved, trash], [90 * MB, 0, 0])
})

test('an upload token accepts a stream of unknown length within its limits', async (t) => {
  const { client, baseUrl } = await aRecordedService(t)
  const { token } = await client.createUploadToken({ max_bytes: 40 * MB, max_files: 3 })
  const { client: page } = await aClient(t, { baseUrl, apiKey: token })
  const { id } = await page.upload(aStream(PART + 4 * MB))
  await assertStored(client, id, PART + 4 * MB)
  await assert.rejects(page.upload(aStream(30 * MB)), (error) =>
    isStowageError(error, 'upload_token_exceeded'),
  )
  assert.equal((await page.upload(aStream(20 * MB))).bytes, 20 * MB)
  assert.equal((await client.account()).reserved, 0)
})

test('a stream that fits is stored by a service that does not accept estimates', async (t) => {
  const size = FIRST + PART + 5
  const { baseUrl } = await aService(t, { ...QUIET, STOWAGE_PLAN_STORAGE: `${size}` })
  const { client } = await aClient(t, {
    baseUrl,
    fetch(input, init) {
      const body = init?.body && String(init.body).replace(/"min_size":\d+,?/, '')
      return fetch(input, body ? { ...init, body: body.replace(',}', '}') } : init)
    },
  })
  assert.equal((await client.upload(aStream(size))).bytes, size)
})

test('a stream that exceeds the plan is refused with 402, and its storage is released', async (t) => {
  const { client } = await aRecordedService(t, { STOWAGE_PLAN_STORAGE: `${FIRST + PART}` })
  let given = 0
  const stream = aStream(FIRST + 40 * PART, (bytes) => {
    given = bytes
  })
  await assert.rejects(client.upload(stream), (error) => {
    assert.ok(isStowageError(error, 'storage_exceeded'))
    assert.equal(error.status, 402)
    assert.equal(error.facts.limit, FIRST + PART)
    return true
  })
  assert.ok(given < FIRST + 3 * PART, `${given} bytes were read`)
  await assertNothingLeft(client)
  assert.equal((await stream.next()).done, true)
})

test('if a stream fails, the upload rejects with its error, and its storage is released', async (t) => {
  const { client } = await aRecordedService(t)
  const failure = new Error('the source failed')
  async function* failing(size: number) {
    yield* aStream(size)
    throw failure
  }
  const cases: [size: number, known?: number][] = [
    [0],
    [0, FIRST],
    [PART + MB],
    [PART + MB, FIRST],
    [FIRST],
  ]
  for (const [size, known] of cases) {
    const upload = client.upload(failing(size), { size: known })
    await assert.rejects(upload, (error) => error === failure)
    await assertNothingLeft(client)
  }
})

test('aborting the upload of a stream cancels it and rejects with the reason', async (t) => {
  const { client } = await aRecordedService(t)
  for (const size of [undefined, 10 * FIRST]) {
    const stopping = new AbortController()
    const reason = new Error('enough')
    const stream = aStream(10 * FIRST, (bytes) => {
      if (bytes === PART + MB) stopping.abort(reason)
    })
    const upload = client.upload(stream, { size, signal: stopping.signal })
    await assert.rejects(upload, (error) => error === reason)
    await assertNothingLeft(client)
  }
})

test('a stream of unknown length survives broken connections and lost responses', async (t) => {
  const parts: Fault[] = [
    { kind: 'cut' },
    { kind: 'lose' },
    { kind: 'pass' },
    { kind: 'refuse', status: 503 },
  ]
  const calls: Fault[] = [{ kind: 'lose' }, { kind: 'refuse', status: 503 }, { kind: 'cut' }]
  const { api } = await aProxiedService(t, {
    settings: {},
    storage: ({ method }) => (method === 'PUT' ? parts.shift() : undefined) ?? { kind: 'pass' },
    api: ({ method }) => (method === 'PATCH' ? calls.shift() : undefined) ?? { kind: 'pass' },
  })
  const { client } = await aClient(t, { baseUrl: api.url })
  const size = FIRST + PART + 3
  const { id } = await client.upload(aStream(size))
  assert.deepEqual([parts, calls], [[], []])
  await assertStored(client, id, size)
})

test('a stream of unknown length can be paused while a larger size is declared', async (t) => {
  let pause = () => {}
  let isPaused = false
  const { api } = await aProxiedService(t, {
    settings: {},
    api({ method }) {
      if (method === 'PATCH' && !isPaused) {
        isPaused = true
        pause()
        // The service acts, but its response is lost.
        return { kind: 'lose' }
      }
      return { kind: 'pass' }
    },
  })
  const { client } = await aClient(t, { baseUrl: api.url })
  const size = FIRST + PART + 3
  const upload = client.upload(aStream(size))
  pause = () => upload.pause()
  await until('it is paused', () => upload.progress.state === 'paused')
  upload.resume()
  const { id } = await upload
  await assertStored(client, id, size)
})

test('a stream that is too long for its part size is refused, and the message asks for its size', async (t) => {
  const body = JSON.stringify({ message: 'size must be less', code: 'invalid', errors: {} })
  const { api } = await aProxiedService(t, {
    settings: {},
    api: ({ method }) =>
      method === 'PATCH' ? { kind: 'refuse', status: 422, body } : { kind: 'pass' },
  })
  const { client } = await aClient(t, { baseUrl: api.url })
  await assert.rejects(client.upload(aStream(2 * FIRST)), (error) => {
    assert.ok(isStowageError(error, 'invalid'))
    assert.match(error.message, /Pass its size/)
    return true
  })
  await assertNothingLeft(client)
})
