import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStowageError } from '@stowage/client'
import { type ReceivedWebhook, verifyWebhook } from '@stowage/client/webhooks'
import { Webhook } from 'standardwebhooks'

const SECRET = `whsec_${Buffer.from('a secret of 24 bytes or more').toString('base64')}`
const OTHER = `whsec_${Buffer.from('another secret of 24 bytes').toString('base64')}`
const BODY = JSON.stringify({ id: 7, type: 'asset.ready', data: { filename: 'naïve 🎵.zip' } })
const MINUTE_MS = 60_000

/** The headers of a webhook, signed by the library of Standard Webhooks. */
function headersOf(secret: string, { body = BODY, at = new Date() } = {}): Record<string, string> {
  return {
    'webhook-id': 'a0b1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('a0b1', at, body),
  }
}

function refuses(request: ReceivedWebhook, secret: string | string[] = SECRET): Promise<void> {
  return assert.rejects(verifyWebhook(request, secret), (error) =>
    isStowageError(error, 'bad_signature'),
  )
}

test('a webhook signed by the library of Standard Webhooks is accepted from fetch and from Node, as text and as bytes', async () => {
  const headers = headersOf(SECRET)
  const expected = JSON.parse(BODY)
  const request = new Request('http://localhost/', { method: 'POST', headers, body: BODY })
  assert.deepEqual(await verifyWebhook(request, SECRET), expected)
  const upper = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
  )
  for (const given of [headers, new Headers(headers), upper]) {
    assert.deepEqual(await verifyWebhook({ headers: given, body: BODY }, SECRET), expected)
    const bytes = Buffer.from(BODY)
    assert.deepEqual(await verifyWebhook({ headers: given, body: bytes }, SECRET), expected)
  }
})

test('while a secret is replaced, both the old and the new one are accepted', async () => {
  const at = new Date()
  const both = [OTHER, SECRET].map((secret) => headersOf(secret, { at })['webhook-signature'])
  const headers = {
    ...headersOf(SECRET, { at }),
    'webhook-signature': `v1a,abc= v2,xyz ${both.join(' ')}`,
  }
  for (const secret of [SECRET, OTHER, [OTHER, SECRET]]) {
    assert.ok(await verifyWebhook({ headers, body: BODY }, secret))
  }
  assert.ok(await verifyWebhook({ headers: headersOf(OTHER), body: BODY }, [SECRET, OTHER]))
})

test('a webhook with another body, secret, ID or time is refused', async () => {
  const headers = headersOf(SECRET)
  await refuses({ headers, body: `${BODY} ` })
  await refuses({ headers, body: BODY }, OTHER)
  await refuses({ headers: { ...headers, 'webhook-id': 'a0b2' }, body: BODY })
  const later = String(Number(headers['webhook-timestamp']) + 1)
  await refuses({ headers: { ...headers, 'webhook-timestamp': later }, body: BODY })
  for (const minutes of [-6, 6]) {
    const at = new Date(Date.now() + minutes * MINUTE_MS)
    await refuses({ headers: headersOf(SECRET, { at }), body: BODY })
  }
  const recent = new Date(Date.now() - 4 * MINUTE_MS)
  assert.ok(await verifyWebhook({ headers: headersOf(SECRET, { at: recent }), body: BODY }, SECRET))
  for (const name of Object.keys(headers)) {
    await refuses({ headers: { ...headers, [name]: undefined }, body: BODY })
    await refuses({ headers: { ...headers, [name]: 'NaN' }, body: BODY })
  }
  for (const signature of ['v1,', 'v1', 'v1,%%%', 'v2,abc', ',', 'v1,AAAA']) {
    await refuses({ headers: { ...headers, 'webhook-signature': signature }, body: BODY })
  }
})

test('a malformed secret throws a TypeError instead of refusing every webhook', async () => {
  for (const secret of ['', 'whsec_', 'whsec_%']) {
    await assert.rejects(verifyWebhook({ headers: {}, body: '' }, secret), TypeError)
  }
})

test('a body that a framework has parsed throws a TypeError that asks for the raw body, and none of its fields is read', async () => {
  const parsed = [
    JSON.parse(BODY),
    { length: 3e9 },
    { length: 3e9, byteLength: 3e9, buffer: {} },
    [1, 2],
    {},
    undefined,
    null,
    7,
    new ArrayBuffer(8),
  ]
  for (const body of parsed) {
    // Neither the signature nor the headers matter.
    for (const headers of [headersOf(SECRET), {}]) {
      const request = { headers, body } as unknown as ReceivedWebhook
      await assert.rejects(verifyWebhook(request, SECRET), (error) => {
        assert.ok(error instanceof TypeError)
        assert.match(error.message, /Pass the raw body/)
        return true
      })
    }
  }
  for (const request of [undefined, null, 'x', {}, { body: BODY }, { headers: null, body: BODY }]) {
    await assert.rejects(verifyWebhook(request as unknown as ReceivedWebhook, SECRET), TypeError)
  }
})

test('headers of another implementation of fetch are accepted', async () => {
  const values = headersOf(SECRET)
  const headers = { get: (name: string) => values[name] ?? null } as unknown as Headers
  assert.deepEqual(await verifyWebhook({ headers, body: BODY }, SECRET), JSON.parse(BODY))
})
