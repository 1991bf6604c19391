import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { readMemory, watchMemory } from '@stowage/testing/machine/memory-watch'
import { until } from '@stowage/testing/machine/until'
import { ADMIN_KEY, callerWith, requestKey } from '@stowage/testing/service/accounts'
import { anUnreadStream, largeProducts } from '@stowage/testing/service/connections'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { API } from '@stowage/testing/service/upload'

/** `EVENT_STREAMS=1000 EVENT_SECONDS=20` also measures the memory and the CPU time of the process. */
const STREAMS = Number(process.env.EVENT_STREAMS ?? 150)
const SECONDS = Number(process.env.EVENT_SECONDS ?? 0)
const PER_KEY = 100
const CHANGES = 50
const CHANGES_PER_SECOND = 20
/** `UNREAD_STREAMS=200 UNREAD_HEAP_MB=300` measures more streams in a smaller heap. */
const UNREAD = Number(process.env.UNREAD_STREAMS ?? 100)
const UNREAD_HEAP_MB = Number(process.env.UNREAD_HEAP_MB ?? 300)
const REPLAYS = 20
const ROUNDS = 6
const MAX_ADDED_MEMORY = 200_000_000
/** The share of its work that the service may do while one other request waits. Without turns, it does all of it. */
const MAX_SHARE = 0.15

test(`${STREAMS} streams of one process get every event once`, async (t) => {
  const service = await aServiceProcess(t, {
    STOWAGE_AUTH: 'keys',
    STOWAGE_ADMIN_KEY: ADMIN_KEY,
    STOWAGE_LOG: 'warn',
  })
  const call = callerWith(service.baseUrl, ADMIN_KEY)
  const keys: string[] = []
  for (let count = 0; count < STREAMS / PER_KEY; count += 1) {
    keys.push((await requestKey(call, 'read', `${count}`)).secret)
  }
  const memory = process.platform === 'linux' ? await readMemory(service.pid, 'VmRSS') : 0
  const url = `${service.baseUrl}${API}/events?type=asset.ready`
  const streams = await Promise.all(
    Array.from({ length: STREAMS }, (_, index) => open(t, url, keys[index % keys.length] ?? '')),
  )
  const change = (name: string) =>
    call('POST', `${API}/assets/store`, { filename: name, url: 'https://example.com/a.zip' })
  for (let index = 0; index < CHANGES; index += 1) await change(`${index}`)
  await until('every stream gets every event', () =>
    streams.every(({ received }) => received() >= CHANGES),
  )
  assert.ok(streams.every(({ received }) => received() === CHANGES))

  if (SECONDS > 0) {
    const added = (await readMemory(service.pid, 'VmRSS')) - memory
    t.diagnostic(`memory: ${Math.round(memory / 1e6)} MB + ${Math.round(added / 1e6)} MB`)
    const idle = await cpuSeconds(service.pid)
    await pause(SECONDS * 1000)
    const busy = await cpuSeconds(service.pid)
    t.diagnostic(`idle: ${percent(busy - idle)} of a core`)
    for (let index = 0; index < SECONDS * CHANGES_PER_SECOND; index += 1) {
      await Promise.all([change('more'), pause(1000 / CHANGES_PER_SECOND)])
    }
    const end = await cpuSeconds(service.pid)
    t.diagnostic(`at ${CHANGES_PER_SECOND} changes per second: ${percent(end - busy)} of a core`)
  }
  assert.equal(await service.stop('SIGTERM'), 0)
})

test(`${UNREAD} streams that are never read cost little memory, and another client gets all events`, async (t) => {
  const { service, call, read } = await aKeyedProcess(t, {
    NODE_OPTIONS: `--max-old-space-size=${UNREAD_HEAP_MB}`,
  })
  await call('PUT', `${API}/products`, largeProducts(0))
  const before = await memoryOf(service)
  const memory = process.platform === 'linux' ? watchMemory(service.pid) : undefined
  cleanUp(t, () => memory?.close())
  for (let count = 0; count < UNREAD; count += 1) {
    const socket = await anUnreadStream(service.baseUrl, { key: await read(count) })
    cleanUp(t, () => socket.destroy())
  }
  const reader = await open(t, `${service.baseUrl}${API}/events`, await read(UNREAD))
  for (let round = 1; round <= ROUNDS; round += 1) {
    const { status, text } = await call('PUT', `${API}/products`, largeProducts(round))
    assert.equal(status, 200, text)
  }
  await until('another client gets all events', () => reader.received() >= ROUNDS * 25)
  const peak = Math.max(memory?.takePeak().peak ?? 0, await memoryOf(service))
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
  t.diagnostic(`memory: ${megabytes(before)}, at most ${megabytes(peak)}`)
  assert.ok(peak - before < MAX_ADDED_MEMORY, `${megabytes(before)}, ${megabytes(peak)}`)
  assert.equal(await service.stop('SIGTERM'), 0)
})

test(`${REPLAYS} streams that read all large events from the beginning do not delay other requests`, async (t) => {
  const { service, call, read } = await aKeyedProcess(t)
  for (let round = 1; round <= ROUNDS; round += 1) {
    await call('PUT', `${API}/products`, largeProducts(round))
  }
  const key = await read(0)
  // A thread of its own, which reading the streams does not delay.
  const workerData = { url: `${service.baseUrl}/healthz`, pid: service.pid }
  const prober = new Worker(PROBER, { eval: true, workerData })
  cleanUp(t, () => prober.terminate())
  await once(prober, 'message')
  const url = `${service.baseUrl}${API}/events?after=0&type=product.updated`
  const streams = await Promise.all(Array.from({ length: REPLAYS }, () => open(t, url, key)))
  await until('every stream gets every event', () =>
    streams.every(({ received }) => received() >= ROUNDS * 25),
  )
  prober.postMessage('stop')
  const [{ count, longest, total }] = await once(prober, 'message')
  assert.ok(streams.every(({ received }) => received() === ROUNDS * 25))
  const text = `${count} requests, at most ${Math.round(longest)} of ${Math.round(total)} ms during one`
  t.diagnostic(text)
  assert.ok(longest < MAX_SHARE * total, text)
  assert.equal(await service.stop('SIGTERM'), 0)
})

/**
 * Sends one request after another. Its messages are the number of requests, the longest time of one of them and the
 * time of all, in milliseconds. On Linux, it is the CPU time of the service, which does not depend on other processes.
 */
const PROBER = `
  const { readFileSync } = require('node:fs')
  const { parentPort, workerData: { url, pid } } = require('node:worker_threads')
  let isStopped = false
  parentPort.once('message', () => { isStopped = true })
  function now() {
    if (process.platform !== 'linux') return performance.now()
    const fields = readFileSync('/proc/' + pid + '/stat', 'utf8').split(') ')[1].split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  }
  async function probe() {
    let [count, longest, begin] = [0, 0, 0]
    while (!isStopped) {
      const start = now()
      const response = await fetch(url)
      await response.text()
      // The first request opens the connection.
      if (count > 0) longest = Math.max(longest, now() - start)
      else {
        begin = now()
        parentPort.postMessage({})
      }
      count += 1
    }
    parentPort.postMessage({ count, longest, total: now() - begin })
  }
  probe()`

/** A service with keys. `read` returns a read key that has no more than 100 streams. */
async function aKeyedProcess(t: TestContext, settings: Record<string, string> = {}) {
  const service = await aServiceProcess(t, {
    STOWAGE_AUTH: 'keys',
    STOWAGE_ADMIN_KEY: ADMIN_KEY,
    STOWAGE_LOG: 'warn',
    ...settings,
  })
  const call = callerWith(service.baseUrl, ADMIN_KEY)
  const keys: string[] = []
  async function read(index: number): Promise<string> {
    const number = Math.floor(index / PER_KEY)
    keys[number] ??= (await requestKey(call, 'read', `${number}`)).secret
    return keys[number]
  }
  return { service, call, read }
}

async function memoryOf({ pid }: { pid: number }): Promise<number> {
  return process.platform === 'linux' ? readMemory(pid, 'VmRSS') : 0
}

function percent(seconds: number): string {
  return `${((100 * seconds) / SECONDS).toFixed(1)} %`
}

/** User and system time: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Counts events without parsing them, so that the test itself uses little CPU time. */
async function open(t: TestContext, url: string, key: string): Promise<{ received(): number }> {
  const headers = { Accept: 'text/event-stream', Authorization: `Bearer ${key}` }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers, agent: false }, resolve).on('error', reject)
  })
  assert.equal(response.statusCode, 200)
  cleanUp(t, () => response.destroy())
  let received = 0
  response.on('error', () => {})
  response.setEncoding('latin1').on('data', (text: string) => {
    received += text.split('\ndata: ').length - 1
  })
  return { received: () => received }
}
