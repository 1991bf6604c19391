import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Asset, PartUrl } from '@stowage/protocol'
import { formatSize } from '@stowage/protocol/format'
import { ENGINES, isOnS3 } from '@stowage/testing/engines/test-engines'
import { until } from '@stowage/testing/machine/until'
import { aDeployment, aService } from '@stowage/testing/service/service'
import { aServiceProcess, type ServiceProcess } from '@stowage/testing/service/service-process'
import { assertUsageConsistent } from '@stowage/testing/service/shop'
import { API, putPart } from '@stowage/testing/service/upload'
import { commandOf, saveResult } from '../reliability/result.ts'

/* Runs on sqlite+disk and postgres+ceph. */

/*
 * Run more and larger replacements:
 *
 *     REPLACEMENTS=200 REPLACED_SIZE=1000000000 REPLACEMENT_KILLS=20 npx node --test \
 *       packages/proofs/src/kills/replacements.test.ts
 *
 * REPLACEMENT_CLIENTS is the number of clients. Replaced files are kept for an hour, and Ceph keeps them in memory here:
 * set CEPH_MEMORY to the number of bytes that it may use.
 */
const REPLACEMENTS = Number(process.env.REPLACEMENTS ?? 6)
const SIZE = Number(process.env.REPLACED_SIZE ?? 1_000_000)
const KILLS = Number(process.env.REPLACEMENT_KILLS ?? 2)
const CLIENTS = Number(process.env.REPLACEMENT_CLIENTS ?? 6)
/** S3 refuses smaller parts, except for the last one. */
const CHUNK = isOnS3 || SIZE > 50_000_000 ? 5 * 2 ** 20 : Math.ceil(SIZE / 4)
const SETTINGS = {
  STOWAGE_CHUNK_SIZE: String(CHUNK),
  STOWAGE_KEEP_VERSIONS: '1',
  STOWAGE_LOG: 'warn',
}

/** Every version has a different size. */
const sizeOf = (seed: number) => SIZE + seed

class Unreachable extends Error {}

test(`while a file is replaced ${REPLACEMENTS} times, with ${KILLS} kills, each of ${CLIENTS} clients downloads whole versions only`, async (t) => {
  const deployment = await aDeployment(t, { isReliable: true })
  const service = await aRestartedService(t, deployment)
  let current = 0
  const create = { name: 'book.pdf', size: sizeOf(1) }
  const { id } = await upload(service, `${API}/assets/signed`, { seed: 1, body: create })
  current = 1
  const counts = { whole: 0, replaced: 0, cut: 0, resumed: 0 }
  let isOver = false

  /** Continues with the same version after a broken connection, as long as that version is kept. */
  async function downloadOnce(): Promise<void> {
    const atLeast = current
    const received: Received = { seed: undefined, bytes: 0 }
    for (;;) {
      const { seed, bytes } = received
      const attempt = service.attempt()
      const path = seed === undefined ? 'download' : `versions/${seed}/download`
      try {
        const headers: Record<string, string> = bytes > 0 ? { Range: `bytes=${bytes}-` } : {}
        const response = await attempt.fetch(`${API}/assets/${id}/${path}`, { headers })
        if (response.status === 404 && seed !== undefined) return
        assert.equal(response.status, bytes > 0 ? 206 : 200)
        await attempt.unlessKilled(() => checkContent(response.body, received))
        if (bytes > 0) counts.resumed += 1
        break
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error
        counts.cut += 1
      }
    }
    const version = received.seed ?? 0
    assert.equal(received.bytes, sizeOf(version))
    assert.ok(version >= atLeast, `version ${version} after version ${atLeast}`)
    counts.whole += 1
    if (version < current) counts.replaced += 1
  }

  async function downloadRepeatedly(): Promise<void> {
    while (!isOver) await downloadOnce()
  }

  async function replaceRepeatedly(): Promise<void> {
    for (let seed = 2; seed <= REPLACEMENTS + 1; seed += 1) {
      const body = { size: sizeOf(seed) }
      const asset = await upload(service, `${API}/assets/${id}/signed`, { seed, body })
      assert.deepEqual([asset.version, asset.bytes], [seed, sizeOf(seed)])
      current = seed
    }
  }

  async function killRepeatedly(): Promise<void> {
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const after = Math.floor((kill * REPLACEMENTS) / (KILLS + 1))
      await until('the file is replaced', () => current > after || isOver, 3_600_000)
      // A random time, not synchronized with any event.
      await pause(Math.random() * 100)
      if (!isOver) await service.restart()
    }
  }

  const delay = monitorEventLoopDelay()
  delay.enable()
  const work = [replaceRepeatedly(), killRepeatedly()]
  const clients = Array.from({ length: CLIENTS }, downloadRepeatedly)
  await Promise.race([Promise.all(work), Promise.all(clients)]).finally(() => {
    isOver = true
  })
  await Promise.all([...work, ...clients])
  t.diagnostic(
    `${counts.whole} whole downloads, ${counts.replaced} of them while the file was replaced, ${counts.cut} requests interrupted, ${counts.resumed} resumed, ${service.restarts()} kills, ${service.reconnections()} reconnections, this process stalled for up to ${Math.round(delay.max / 1e6)} ms`,
  )
  assert.ok(counts.whole > CLIENTS)
  await service.stop()
  await checkAtRest(t, deployment, id)
  await saveResult(`replacements-${formatSize(SIZE).replace(' ', '').toLowerCase()}-${ENGINES}`, {
    command: commandOf(import.meta.filename, {
      REPLACEMENTS,
      REPLACED_SIZE: SIZE,
      REPLACEMENT_KILLS: KILLS,
      REPLACEMENT_CLIENTS: CLIENTS,
      CEPH_MEMORY: process.env.CEPH_MEMORY,
    }),
    rows: {
      'Size of each version': formatSize(SIZE),
      Replacements: String(REPLACEMENTS),
      Kills: String(service.restarts()),
      Clients: String(CLIENTS),
      'Whole versions downloaded': counts.whole.toLocaleString('en'),
      'of these, downloads during which the file was replaced':
        counts.replaced.toLocaleString('en'),
      'Requests of downloads interrupted by a kill': counts.cut.toLocaleString('en'),
      'Downloads resumed on the same version': counts.resumed.toLocaleString('en'),
      'Mixtures of versions, or versions older than at the start of the download': '0',
    },
  })
})

async function checkAtRest(
  t: TestContext,
  deployment: Awaited<ReturnType<typeof aDeployment>>,
  id: string,
): Promise<void> {
  const service = await aService(t, SETTINGS, deployment)
  const last = REPLACEMENTS + 1
  const { body } = await service.call('GET', `${API}/assets/${id}/versions`)
  const versions = body.data.map((one: { version: number }) => one.version)
  assert.deepEqual(versions, [last, last - 1])
  const account = (await service.call('GET', `${API}/account`)).body.data
  assert.deepEqual([account.stored, account.reserved], [sizeOf(last) + sizeOf(last - 1), 0])
  await assertUsageConsistent(service)
}

/** A service process that can be killed and started again. Its URL changes. */
async function aRestartedService(
  t: TestContext,
  deployment: Awaited<ReturnType<typeof aDeployment>>,
) {
  const start = () => aServiceProcess(t, SETTINGS, deployment)
  let running: Promise<ServiceProcess> = start()
  let restarts = 0
  let reconnections = 0
  await running

  /** Returns functions that send requests to the current process. Only a kill may interrupt these requests. */
  function attempt() {
    const [target, before] = [running, restarts]
    async function unlessKilled<Result>(work: () => Promise<Result>): Promise<Result> {
      try {
        return await work()
      } catch (error) {
        if (error instanceof assert.AssertionError || restarts === before) throw error
        throw new Unreachable('the service was killed', { cause: error })
      }
    }
    /** A server may close an idle connection just when the client uses it again, so the request is repeated once. */
    const send = (request: () => Promise<Response>) =>
      unlessKilled(async () => {
        try {
          return await request()
        } catch (error) {
          if (restarts !== before || !isClosedConnection(error)) throw error
          reconnections += 1
          t.diagnostic(`reconnected: ${error instanceof Error ? error.cause : error}`)
          return request()
        }
      })
    return {
      unlessKilled,
      send,
      fetch: async (path: string, init: RequestInit = {}) => {
        const { baseUrl } = await target
        return send(() => fetch(`${baseUrl}${path}`, init))
      },
    }
  }

  return {
    attempt,
    restarts: () => restarts,
    reconnections: () => reconnections,
    async restart() {
      const before = await running
      restarts += 1
      running = before.stop('SIGKILL').then(start)
      await running
    },
    stop: async () => (await running).stop('SIGTERM'),
  }
}

function isClosedConnection(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return ['EPIPE', 'ECONNRESET', 'UND_ERR_SOCKET'].includes(code)
}

type Service = Awaited<ReturnType<typeof aRestartedService>>
type Attempt = ReturnType<Service['attempt']>

/** Uploads a version, and repeats each step that a kill interrupts. */
async function upload(
  service: Service,
  path: string,
  { seed, body }: { seed: number; body: object },
): Promise<Asset> {
  const json = { 'Content-Type': 'application/json' }
  const post = async (
    attempt: Attempt,
    to: string,
    sent: object,
    headers: Record<string, string> = {},
  ) => {
    const init = { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(sent) }
    const response = await attempt.fetch(to, init)
    const text = await attempt.unlessKilled(() => response.text())
    assert.ok(response.ok, text)
    return JSON.parse(text)
  }
  const key = { 'Idempotency-Key': `version-${seed}` }
  const { id, upload_id } = await repeated(() => post(service.attempt(), path, body, key))
  return repeated(async () => {
    const attempt = service.attempt()
    const state = await attempt.fetch(`${API}/assets/${id}/upload?upload_id=${upload_id}`)
    assert.equal(state.status, 200)
    const { urls } = (await attempt.unlessKilled(() => state.json())) as { urls: PartUrl[] }
    for (const { url, start, end } of urls) {
      const sent = await attempt.send(() => putPart(url, contentOf(seed, start, end)))
      assert.equal(sent.status, 200)
    }
    return (await post(attempt, `${API}/assets/${id}/uploaded`, { upload_id })).data
  })
}

async function repeated<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error
    }
  }
}

const BLOCK = 65_536
/** The size of the seed and the position, which are at the start of each block. */
const HEADER = 8
const FILLED: Buffer[] = []

/** Some bytes of the content of a version. Each block contains the seed and its position. */
function contentOf(seed: number, start: number, end: number): Buffer {
  const first = Math.floor(start / BLOCK)
  const blocks = Array.from({ length: Math.ceil(end / BLOCK) - first }, (_, index) =>
    blockOf(seed, first + index),
  )
  return Buffer.concat(blocks).subarray(start - first * BLOCK, end - first * BLOCK)
}

function blockOf(seed: number, index: number): Buffer {
  const block = Buffer.from(filledBlock(seed, index))
  block.writeUInt32BE(seed, 0)
  block.writeUInt32BE(index, 4)
  return block
}

/** A block without its seed and position. Cached, because many clients compare gigabytes with these. */
function filledBlock(seed: number, index: number): Buffer {
  const byte = (seed * 31 + index) % 256
  FILLED[byte] ??= Buffer.alloc(BLOCK, byte)
  return FILLED[byte]
}

function isContent(bytes: Buffer, seed: number, start: number): boolean {
  for (let at = 0; at < bytes.length; ) {
    const index = Math.floor((start + at) / BLOCK)
    const from = start + at - index * BLOCK
    const length = Math.min(bytes.length - at, BLOCK - from)
    const expected = from < HEADER ? blockOf(seed, index) : filledBlock(seed, index)
    if (bytes.compare(expected, from, from + length, at, at + length) !== 0) return false
    at += length
  }
  return true
}

/** The part of a version that a client has received. */
interface Received {
  /** Undefined until the first bytes have arrived. */
  seed: number | undefined
  bytes: number
}

/** Compares the body with the content, and adds to `received`. Holds one chunk in memory. */
async function checkContent(
  body: AsyncIterable<Uint8Array> | null,
  received: Received,
): Promise<void> {
  for await (const chunk of body ?? []) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    received.seed ??= bytes.readUInt32BE()
    const { seed, bytes: at } = received
    assert.ok(isContent(bytes, seed, at), `version ${seed} is mixed or cut after ${at} bytes`)
    received.bytes += bytes.length
  }
}
