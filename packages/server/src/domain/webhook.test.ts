import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatWebhookSecret, nextAttemptAt, RETRY_DELAYS_MS, webhookHeaders } from './webhook.ts'

/** The example of the specification of Standard Webhooks. */
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const MESSAGE = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  sentAt: new Date(1_614_265_330_999),
  body: '{"test": 2432232314}',
}
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='

test('the signature equals the example of the specification', () => {
  assert.deepEqual(webhookHeaders({ secret: SECRET, previousSecrets: [] }, MESSAGE), {
    'webhook-id': MESSAGE.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': SIGNATURE,
  })
})

test('replaced secrets sign the message until they are no longer valid', () => {
  const secret = formatWebhookSecret(new Uint8Array(32))
  const at = (ms: number) => new Date(MESSAGE.sentAt.getTime() + ms)
  const signatures = (validUntil: Date) => {
    const webhook = { secret, previousSecrets: [{ secret: SECRET, validUntil }] }
    return webhookHeaders(webhook, MESSAGE)['webhook-signature']?.split(' ')
  }
  assert.equal(signatures(at(1))?.length, 2)
  assert.equal(signatures(at(1))?.[1], SIGNATURE)
  assert.equal(signatures(at(0))?.length, 1)
  assert.notEqual(signatures(at(0))?.[0], SIGNATURE)
})

const NOW = new Date('2026-01-31T12:00:00.000Z')
const HOUR = 3600

function secondsUntil(failures: number, retryAfter: string | null = null): number | undefined {
  const at = nextAttemptAt(NOW, failures, retryAfter)
  return at && (at.getTime() - NOW.getTime()) / 1000
}

test('retries follow the schedule of Standard Webhooks, and end', () => {
  assert.deepEqual(
    Array.from({ length: 10 }, (_, index) => secondsUntil(index + 1)),
    [5, 300, 1800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR, undefined],
  )
  assert.equal(RETRY_DELAYS_MS.length, 9)
})

test('Retry-After postpones an attempt, never advances it, and is limited to a day', () => {
  assert.equal(secondsUntil(1, '60'), 60)
  assert.equal(secondsUntil(1, ' 60 '), 60)
  assert.equal(secondsUntil(2, '60'), 300)
  assert.equal(secondsUntil(1, 'Sat, 31 Jan 2026 12:10:00 GMT'), 600)
  assert.equal(secondsUntil(1, 'Sat, 31 Jan 2026 11:00:00 GMT'), 5)
  assert.equal(secondsUntil(1, '99999999999999999999'), 24 * HOUR)
  assert.equal(secondsUntil(1, 'Fri, 31 Dec 9999 23:59:59 GMT'), 24 * HOUR)
  for (const text of ['', 'soon', '-5', '1e3', '12 hours']) assert.equal(secondsUntil(1, text), 5)
  assert.equal(secondsUntil(10, '60'), undefined)
})
