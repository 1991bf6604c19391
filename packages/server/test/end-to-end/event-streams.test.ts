import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { readMemory } from '@stowage/testing/machine/memory-watch'
import { until } from '@stowage/testing/machine/until'
import { ADMIN_KEY, callerWith, requestKey } from '@stowage/testing/service/accounts'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { API } from '@stowage/testing/service/upload'

/** `EVENT_STREAMS=1000 EVENT_SECONDS=20` also measures the memory and the CPU time of the process. */
const STREAMS = Number(process.env.EVENT_STREAMS ?? 150)
const SECONDS = Number(process.env.EVENT_SECONDS ?? 0)
const PER_KEY = 100
const CHANGES = 50
const CHANGES_PER_SECOND = 20

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
