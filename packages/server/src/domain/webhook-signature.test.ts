import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatWebhookSecret, webhookHeaders } from './webhook-signature.ts'

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
