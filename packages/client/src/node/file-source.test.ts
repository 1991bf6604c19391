import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { anHttpServer } from '@stowage/testing/machine/ports'
import { measureThroughput, openFile } from './file-source.ts'
import { openAgents } from './http.ts'

const NEVER = new AbortController().signal

async function aSource(t: TestContext, bytes: Uint8Array) {
  const path = join(await aFolder(t), 'file.bin')
  await writeFile(path, bytes)
  const agents = openAgents()
  const source = await openFile(path, { agents })
  cleanUp(t, () => {
    agents.http.destroy()
    return source.close()
  })
  return { path, source }
}

const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** A server that stores the bodies of requests. */
async function aStorage(t: TestContext) {
  const bodies: Buffer[] = []
  const url = await anHttpServer(t, async (request, response) => {
    bodies.push(Buffer.concat(await Array.fromAsync(request)))
    response.end()
  })
  return { url, bodies }
}

for (const size of [0, 1000, 3_000_000]) {
  test(`the SHA-256 covers all ${size} bytes of a file, and the same bytes are sent`, async (t) => {
    const bytes = randomBytes(size)
    const { source } = await aSource(t, bytes)
    const { url, bodies } = await aStorage(t)
    assert.equal(await source.sha256(NEVER), sha256Of(bytes))
    const digests: string[] = []
    const put = () =>
      source.put(
        url,
        { start: 0, end: size },
        {
          signal: NEVER,
          stallMs: 10_000,
          onSent() {},
          async onDigest(digest) {
            digests.push(digest)
          },
        },
      )
    // Sent again, as after a failure.
    for (let tries = 1; tries <= 2; tries += 1) assert.equal((await put()).status, 200)
    assert.ok(bodies.every((body) => body.equals(bytes)))
    const digest = await source.digest({ start: 0, end: size }, NEVER)
    assert.deepEqual(digests, [digest, digest])
  })
}

test('after its SHA-256, a small file can be sent in parts', async (t) => {
  const bytes = randomBytes(1000)
  const { source } = await aSource(t, bytes)
  const { url, bodies } = await aStorage(t)
  await source.sha256(NEVER)
  for (const start of [0, 400, 800]) {
    const end = Math.min(1000, start + 400)
    const options = { signal: NEVER, stallMs: 10_000, onSent() {}, async onDigest() {} }
    await source.put(url, { start, end }, options)
  }
  assert.ok(Buffer.concat(bodies).equals(bytes))
})

test('a small file that changes after its SHA-256 is not sent', async (t) => {
  const { source, path } = await aSource(t, randomBytes(1000))
  const { url, bodies } = await aStorage(t)
  await source.sha256(NEVER)
  await writeFile(path, randomBytes(1001))
  const options = { signal: NEVER, stallMs: 10_000, onSent() {}, async onDigest() {} }
  await assert.rejects(source.put(url, { start: 0, end: 1000 }, options), { code: 'file_changed' })
  assert.deepEqual(bodies, [])
})

test('a file that became shorter has no SHA-256', async (t) => {
  const { source, path } = await aSource(t, randomBytes(1000))
  await truncate(path, 10)
  await assert.rejects(source.sha256(NEVER), { code: 'file_changed' })
})

test('an abort while a file is read for its SHA-256 rejects with its reason', async (t) => {
  const { source } = await aSource(t, randomBytes(3_000_000))
  const controller = new AbortController()
  const hashed = source.sha256(controller.signal)
  const reason = new Error('interrupted')
  controller.abort(reason)
  await assert.rejects(hashed, reason)
})

test('the throughput of all parts together is known when more bytes were sent than fit into system buffers', () => {
  let time = 0
  const throughput = measureThroughput(() => time)
  const stops = [throughput.start(), throughput.start()]
  throughput.sent(10_000_000)
  time = 10
  assert.equal(throughput.isFast(), false)
  throughput.sent(10_000_000)
  assert.equal(throughput.isFast(), true)
  time = 100
  assert.equal(throughput.isFast(), false)
  for (const stop of stops) stop()
})

test('a pause between parts does not count', () => {
  let time = 0
  const throughput = measureThroughput(() => time)
  throughput.start()()
  time = 60_000
  throughput.start()
  throughput.sent(100_000_000)
  time = 60_100
  assert.equal(throughput.isFast(), true)
})
