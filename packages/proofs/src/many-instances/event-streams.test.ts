import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventNumber } from '@stowage/server/src/domain/event'
import { until } from '@stowage/testing/machine/until'
import { ADMIN_KEY } from '@stowage/testing/service/accounts'
import { anEventStream } from '@stowage/testing/service/events'
import { callJson } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { withSharedEngines } from './shared-engines.ts'

await withSharedEngines('event streams', (engines) => {
  test('a change on one instance appears in the streams of another, and a client that reconnects after a restart misses no event', async (t) => {
    const deployment = await engines.deploy(t)
    const first = await deployment.start()
    const second = await deployment.start()
    const stream = await anEventStream(t, second.baseUrl)
    await until('the stream is open', () => stream.lastId() !== undefined)
    let slowestMs = 0
    for (let index = 1; index <= 20; index += 1) {
      await storeLink(first.baseUrl)
      const storedAt = performance.now()
      await until('the event arrives', () => stream.events.length >= index)
      slowestMs = Math.max(slowestMs, performance.now() - storedAt)
    }
    t.diagnostic(`${Math.round(slowestMs)} ms at most`)

    // This client reconnects to the same URL after another process has started there.
    const ids: number[] = []
    let isEnough = false
    const reading = follow(t, second.baseUrl, ids, () => isEnough)
    await until('older events arrive', () => ids.length >= 20)
    let isRestarted = false
    const restarting = (async () => {
      assert.equal(await second.stop('SIGTERM'), 0)
      await deployment.start({ STOWAGE_PORT: new URL(second.baseUrl).port })
      isRestarted = true
    })()
    let written = 20
    do {
      await storeLink(first.baseUrl)
      written += 1
    } while (written < 60 || !isRestarted)
    await restarting
    await until('all events arrive', () => ids.length >= written)
    assert.deepEqual(
      ids,
      Array.from({ length: written }, (_, index) => index + 1),
    )
    isEnough = true
    await reading
  })

  test('a stream ends soon after its user has signed out at another instance', async (t) => {
    const deployment = await engines.deploy(t)
    const settings = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: ADMIN_KEY }
    const first = await deployment.start(settings)
    const second = await deployment.start(settings)
    const signIn = await fetch(`${first.baseUrl}${API}/session`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${ADMIN_KEY}`, 'Content-Type': 'application/json' },
      body: '{}',
    })
    const token = /=([^;]*)/.exec(signIn.headers.get('set-cookie') ?? '')?.[1] ?? ''
    // The name of the cookie has the port.
    const headersFor = (baseUrl: string) => ({
      Cookie: `stowage-session-${new URL(baseUrl).port}=${token}`,
      'Sec-Fetch-Site': 'same-origin',
    })
    const stream = await anEventStream(t, second.baseUrl, { headers: headersFor(second.baseUrl) })
    await until('the stream is open', () => stream.lastId() !== undefined)
    const signOut = await fetch(`${first.baseUrl}${API}/session`, {
      method: 'DELETE',
      headers: headersFor(first.baseUrl),
    })
    assert.equal(signOut.status, 200)
    // The timeout is shorter than the interval at which all open streams are checked.
    await until('the stream ends', () => stream.isEnded(), 10_000)
  })
})

async function storeLink(baseUrl: string): Promise<void> {
  const body = { filename: 'a', url: 'https://example.com/a.zip' }
  const { status } = await callJson(`${baseUrl}${API}/assets/store`, { method: 'POST', body })
  assert.equal(status, 201)
}

/** Collects the IDs of all events. Whenever the stream ends, connects again and continues after the last event. */
async function follow(
  t: TestContext,
  baseUrl: string,
  ids: number[],
  isEnough: () => boolean,
): Promise<void> {
  let lastId = '0'
  while (!isEnough()) {
    const headers = { 'Last-Event-ID': lastId }
    const stream = await anEventStream(t, baseUrl, { headers }).catch(() => undefined)
    if (stream === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      continue
    }
    let count = 0
    await until('the stream ends', () => {
      for (const { id } of stream.events.slice(count)) ids.push(eventNumber(id))
      count = stream.events.length
      return stream.isEnded() || isEnough()
    })
    lastId = stream.lastId() ?? lastId
    stream.close()
  }
}
