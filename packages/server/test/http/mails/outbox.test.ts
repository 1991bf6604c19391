import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Mail } from '@stowage/protocol'
import { until } from '@stowage/testing/machine/until'
import { ADMIN_KEY, aKeyedService, callerWith } from '@stowage/testing/service/accounts'
import { aMailServer, mailSettings } from '@stowage/testing/service/mail-server'
import { aService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { BUYER, listMails, MAILS, mailThatIs, mailWhen } from '../../support/mails.ts'
import { anOrder, aSoldFile, ORDERS, urlOf } from '../../support/orders.ts'

/* Runs on sqlite+disk and postgres+disk. */

test('an order with notify sends one mail with its URL, its number and its files', async (t) => {
  const server = await aMailServer(t)
  const service = await aService(t, mailSettings(server))
  await service.call('PUT', `${API}/account/branding`, {
    name: 'Sounds & more',
    help_email: 'help@sounds.example',
  })
  await aSoldFile(service)
  const order = await anOrder(service, { ...BUYER, notify: true, reference: 'r1' })
  const mail = await mailThatIs(service, 'sent')
  assert.deepEqual(
    [mail.kind, mail.cause, mail.recipient, mail.order_id, mail.attempts, mail.reason],
    ['files_ready', 'order', 'ada@example.com', order.id, 1, null],
  )
  const [received] = server.mails
  assert.ok(received)
  assert.deepEqual(received.to, ['ada@example.com'])
  assert.equal(received.header('From'), '"Sounds & more" <files@sounds.example>')
  assert.equal(received.header('Reply-To'), 'help@sounds.example')
  assert.equal(received.header('Message-ID'), mail.message_id)
  assert.equal(received.header('Auto-Submitted'), 'auto-generated')
  assert.ok(Date.parse(received.header('Date') ?? ''))
  const { body } = await service.call('GET', `${MAILS}/${mail.id}`)
  const { text, html } = body.data.content
  for (const part of [urlOf(order), 'Ada', '#1001', 'pack.zip'])
    assert.ok(text.includes(part), part)
  assert.ok(html.includes(`href="${urlOf(order)}"`))
  assert.ok(html.includes('Sounds &amp; more'))
  const { data } = (await service.call('GET', `${ORDERS}/${order.id}`)).body
  assert.ok(data.email_sent_at > 0)
  // The same order again tells nobody.
  await service.call('POST', ORDERS, {
    ...BUYER,
    reference: 'r1',
    lines: [{ product_id: 1 }],
    notify: true,
  })
  assert.equal((await listMails(service)).length, 1)
})

test('a call sends the mail of an order again, at most 30 times a minute', async (t) => {
  const server = await aMailServer(t)
  const service = await aService(t, mailSettings(server))
  await aSoldFile(service)
  const order = await anOrder(service, BUYER)
  const calls = Array.from({ length: 40 }, (_, at) =>
    at % 2 === 0
      ? service.call('PUT', `${ORDERS}/${order.id}`)
      : service.call('POST', `${ORDERS}/${order.id}/email`),
  )
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 200).length, 30)
  assert.equal(statuses.filter((status) => status === 429).length, 10)
  await until('30 mails have arrived', () => server.mails.length === 30)
  const ids = new Set(server.mails.map((mail) => mail.header('Message-ID')))
  assert.equal(ids.size, 30)
})

test('orders that cannot be mailed are refused with the reason', async (t) => {
  const server = await aMailServer(t)
  const service = await aService(t, mailSettings(server))
  await aSoldFile(service)
  const nobody = await anOrder(service)
  const revoked = await anOrder(service, BUYER)
  await service.call('DELETE', `${ORDERS}/${revoked.id}`)
  const expired = await anOrder(service, { ...BUYER, expires_at: '2020-01-01T00:00:00Z' })
  for (const [id, status, code] of [
    [nobody.id, 409, 'no_email'],
    [revoked.id, 410, 'order_revoked'],
    [expired.id, 410, 'order_expired'],
  ] as const) {
    const { status: found, body } = await service.call('POST', `${ORDERS}/${id}/email`)
    assert.deepEqual([found, body.code], [status, code])
  }
  const lines = [{ product_id: 1 }]
  const refused = await service.call('POST', ORDERS, { lines, notify: true })
  assert.deepEqual([refused.status, refused.body.code], [409, 'no_email'])
})

test('the mail of a held order waits until it is released, and is cancelled if it is revoked', async (t) => {
  const server = await aMailServer(t)
  const service = await aService(t, mailSettings(server))
  await aSoldFile(service)
  const order = await anOrder(service, { ...BUYER, held: true, notify: true })
  const waiting = await mailWhen(service, 'an attempt has failed', ({ state, reason }) => {
    return state === 'queued' && reason !== null
  })
  assert.deepEqual([waiting.state, waiting.attempts], ['queued', 0])
  assert.match(waiting.reason ?? '', /held/)
  assert.equal(server.mails.length, 0)
  await service.call('PATCH', `${ORDERS}/${order.id}`, { held: false })
  assert.equal((await mailThatIs(service, 'sent')).id, waiting.id)

  const other = await anOrder(service, { ...BUYER, held: true, notify: true })
  await mailWhen(service, 'it waits', ({ id, reason }) => id !== waiting.id && reason !== null)
  await service.call('DELETE', `${ORDERS}/${other.id}`)
  assert.equal((await mailThatIs(service, 'cancelled')).reason, 'The order was revoked.')
  assert.equal(server.mails.length, 1)
})

test('an address that the server refuses fails at once with its reason, and is sent again by a call', async (t) => {
  let isFull = true
  const server = await aMailServer(t, {
    refuse: () => (isFull ? { code: 550, text: 'No such user here' } : undefined),
  })
  const service = await aService(t, mailSettings(server))
  await aSoldFile(service)
  await anOrder(service, { ...BUYER, notify: true })
  const failed = await mailThatIs(service, 'failed')
  assert.match(failed.reason ?? '', /550 No such user here/)
  isFull = false
  const again = await service.call('POST', `${MAILS}/${failed.id}/send`)
  assert.equal(again.status, 200, JSON.stringify(again.body))
  assert.notEqual(again.body.data.id, failed.id)
  assert.equal((await mailThatIs(service, 'sent')).id, again.body.data.id)
  const { body } = await service.call('GET', `${API}/events?type=mail.sent,mail.failed`)
  assert.deepEqual(
    body.data.map((event: { type: string; data: Mail }) => [event.type, event.data.id]),
    [
      ['mail.failed', failed.id],
      ['mail.sent', again.body.data.id],
    ],
  )
})

test('an address that the server refuses for now stays queued, and is tried at once by a call', async (t) => {
  let isGrey = true
  const server = await aMailServer(t, {
    refuse: () => (isGrey ? { code: 450, text: 'Greylisted' } : undefined),
  })
  const service = await aService(t, mailSettings(server))
  await aSoldFile(service)
  await anOrder(service, { ...BUYER, notify: true })
  const waiting = await mailWhen(service, 'an attempt has failed', ({ state, reason }) => {
    return state === 'queued' && reason !== null
  })
  assert.match(waiting.reason ?? '', /450 Greylisted/)
  assert.equal(waiting.attempts, 1)
  const pauseMs = Date.parse(waiting.next_attempt_at ?? '') - Date.now()
  assert.ok(pauseMs > 50_000 && pauseMs < 61_000, `${pauseMs}`)
  isGrey = false
  await service.call('POST', `${MAILS}/${waiting.id}/send`)
  const sent = await mailThatIs(service, 'sent')
  assert.deepEqual([sent.id, sent.message_id, sent.attempts], [waiting.id, waiting.message_id, 2])
})

test('the mail of an order that was revoked meanwhile is not sent', async (t) => {
  const server = await aMailServer(t, { refuse: () => ({ code: 450, text: 'Later' }) })
  const service = await aService(t, mailSettings(server))
  await aSoldFile(service)
  const order = await anOrder(service, { ...BUYER, notify: true })
  const waiting = await mailWhen(service, 'an attempt has failed', ({ state, attempts }) => {
    return state === 'queued' && attempts === 1
  })
  await service.call('DELETE', `${ORDERS}/${order.id}`)
  server.rules.refuse = () => undefined
  await service.call('POST', `${MAILS}/${waiting.id}/send`)
  const cancelled = await mailThatIs(service, 'cancelled')
  assert.match(cancelled.reason ?? '', /revoked/)
  assert.equal(server.mails.length, 0)
  const { body } = await service.call('GET', `${MAILS}/${waiting.id}`)
  assert.equal(body.data.content, null)
})

test('without a mail server, an open service shows its mails, and one with keys refuses to send', async (t) => {
  const service = await aService(t)
  await aSoldFile(service)
  const order = await anOrder(service, { ...BUYER, notify: true })
  const kept = await mailThatIs(service, 'cancelled')
  assert.match(kept.reason ?? '', /STOWAGE_SMTP_URL/)
  const { body } = await service.call('GET', `${MAILS}/${kept.id}`)
  assert.ok(body.data.content.text.includes(urlOf(order)))
  assert.equal((await service.call('GET', `${ORDERS}/${order.id}`)).body.data.email_sent_at, null)

  const keyed = await aKeyedService(t)
  const call = callerWith(keyed.baseUrl, ADMIN_KEY)
  const refused = await call('POST', `${MAILS}/test`, { to: 'ada@example.com' })
  assert.deepEqual([refused.status, refused.body.code], [409, 'mail_not_configured'])
  const texts = await call('GET', `${API}/account/mail-texts`)
  assert.deepEqual([texts.body.data.sending, texts.body.data.from], ['off', null])
})

test('a test mail returns the response of the server', async (t) => {
  const server = await aMailServer(t)
  const { call } = await aService(t, mailSettings(server))
  const accepted = await call('POST', `${MAILS}/test`, { to: 'grace@example.com' })
  assert.equal(accepted.body.data.outcome, 'accepted', JSON.stringify(accepted.body))
  assert.match(accepted.body.data.response, /^250/)
  assert.equal(server.to('grace@example.com').length, 1)
  server.rules.refuse = () => ({ code: 554, text: 'Not here' })
  const refused = await call('POST', `${MAILS}/test`, { to: 'grace@example.com' })
  assert.deepEqual(
    [refused.body.data.outcome, refused.body.data.response],
    ['refused', '554 Not here'],
  )
})
