import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { anHttpServer } from '@stowage/testing/machine/ports'
import { until } from '@stowage/testing/machine/until'
import { aWebhookReceiver } from '@stowage/testing/service/events'
import { aService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'

/*
 * Measure the delay from a change to the first attempt:
 *
 *     WEBHOOK_SECONDS=60 WEBHOOK_RATE=100 npx node --test packages/server/test/end-to-end/webhook-delay.test.ts
 *
 * WEBHOOK_RATE is the number of changes per second, and WEBHOOK_DEAD the number of endpoints that never respond. The
 * delay is checked only if WEBHOOK_SECONDS is set, because the machine is otherwise busy with other tests.
 */
const { WEBHOOK_SECONDS, WEBHOOK_RATE = '20', WEBHOOK_DEAD = '10' } = process.env
const SECONDS = Number(WEBHOOK_SECONDS ?? 1)
const RATE = Number(WEBHOOK_RATE)
const MAX_DELAY_MS = 1_000

for (const dead of [0, Number(WEBHOOK_DEAD)]) {
  test(`every change is sent soon, although ${dead} other endpoints never respond`, async (t) => {
    const { call } = await aService(t)
    const receiver = await aWebhookReceiver(t)
    const delays: number[] = []
    receiver.respond = (response, { body }) => {
      delays.push(Date.now() - Date.parse(JSON.parse(body).created_at))
      response.end()
    }
    const deadUrl = await anHttpServer(t, () => {})
    // The receiver is added last, so that it does not receive the events of adding the other webhooks.
    for (const url of [...Array.from({ length: dead }, () => deadUrl), receiver.url]) {
      assert.equal((await call('POST', `${API}/webhooks`, { url })).status, 201)
    }
    const count = SECONDS * RATE
    const start = performance.now()
    const changes: Promise<unknown>[] = []
    for (let index = 0; index < count; index += 1) {
      const waitMs = start + (index * 1000) / RATE - performance.now()
      if (waitMs > 0) await pause(waitMs)
      const link = { filename: `${index}.zip`, url: 'https://example.com/a.zip' }
      changes.push(call('POST', `${API}/assets/store`, link))
    }
    await Promise.all(changes)
    await until('all events are received', () => receiver.received.length >= count)
    const ids = new Set(receiver.events().map(({ id }) => id))
    assert.deepEqual([ids.size, receiver.received.length], [count, count])
    delays.sort((a, b) => a - b)
    const quantile = (share: number) => delays[Math.ceil(share * count) - 1] ?? 0
    t.diagnostic(
      `${count} changes, ${RATE} per second: delay p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, max ${quantile(1)} ms`,
    )
    if (WEBHOOK_SECONDS) assert.ok(quantile(0.99) < MAX_DELAY_MS)
  })
}
