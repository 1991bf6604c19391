import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Order } from '@stowage/protocol'
import { until } from '@stowage/testing/machine/until'
import { ADMIN_KEY, aKeyedService, anAccount, callerWith } from '@stowage/testing/service/accounts'
import { aMailServer, mailSettings } from '@stowage/testing/service/mail-server'
import { aService, type TestService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { BUYER, listMails, MAILS, mailThatIs, replaceFile } from '../../support/mails.ts'
import { anOrder, aSoldFile, ORDERS, press, urlOf } from '../../support/orders.ts'

/* Runs on sqlite+disk and postgres+disk. */

function find({ baseUrl }: Pick<TestService, 'baseUrl'>, email: string, language = 'en') {
  return fetch(`${baseUrl}/find`, {
    method: 'POST',
    headers: { 'Accept-Language': language },
    body: new URLSearchParams({ email }),
  })
}

test('a buyer who has lost the URLs gets those of all orders, and the page does not tell whether there are any', async (t) => {
  const server = await aMailServer(t)
  const service = await aService(t, mailSettings(server))
  await aSoldFile(service)
  const active = await anOrder(service, BUYER)
  const revoked = await anOrder(service, { email: 'ADA@example.com', order_number: '#1002' })
  await service.call('DELETE', `${ORDERS}/${revoked.id}`)
  await anOrder(service, { email: 'grace@example.com' })
  const page = await fetch(`${service.baseUrl}/find`)
  const form = await page.text()
  assert.ok(form.includes('type="email"'))
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  assert.doesNotMatch(form, /<script/)
  const known = await find(service, ' Ada@Example.com ')
  const unknown = await find(service, 'nobody@example.com')
  assert.deepEqual([known.status, unknown.status], [200, 200])
  assert.equal(await known.text(), await unknown.text())
  // Only the form of the page is read as one.
  for (const email of [{ a: 1 }, ['a@example.com'], null, 5]) {
    const { status } = await service.call('POST', '/find', { email })
    assert.equal(status, 422, JSON.stringify(email))
  }
  const date = (response: Response) =>
    [...response.headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
  assert.deepEqual(date(known), date(unknown))
  const mail = await mailThatIs(service, 'sent')
  assert.deepEqual([mail.kind, mail.cause, mail.recipient], ['links', 'find', 'ada@example.com'])
  const { text } = (await service.call('GET', `${MAILS}/${mail.id}`)).body.data.content
  assert.ok(text.includes(urlOf(active)))
  assert.ok(text.includes('#1002') && !text.includes(urlOf(revoked)))
  await until('all requests are answered', async () => {
    return (await service.context.database.listLinkRequests(1)).length === 0
  })
  assert.equal(server.mails.length, 1)
  const wrong = await find(service, 'nobody', 'de')
  assert.equal(wrong.status, 422)
  assert.ok((await wrong.text()).includes('E-Mail-Adresse'))
})

test('the page for lost links is limited for each address', async (t) => {
  const server = await aMailServer(t)
  const service = await aService(t, mailSettings(server))
  const statuses: number[] = []
  for (let count = 0; count < 12; count += 1) {
    statuses.push((await find(service, `a${count}@example.com`)).status)
  }
  assert.deepEqual(statuses, [...Array(10).fill(200), 429, 429])
})

test('many requests for lost links are answered soon, although none of them wakes the job', async (t) => {
  const service = await aService(t, mailSettings(await aMailServer(t)))
  const { database } = service.context
  const addresses = Array.from({ length: 200 }, (_, index) => `a${index}@example.com`)
  for (const address of addresses) {
    await database.addLinkRequest({ address, locale: null }, addresses.length)
  }
  // With a pause of five seconds after each run, it would take 45 seconds.
  const areAnswered = async () => (await database.listLinkRequests(1)).length === 0
  await until('all are answered', areAnswered, 30_000)
})

test('each shop sends its own mail, and a service that sends none says so', async (t) => {
  const server = await aMailServer(t)
  const service = await aKeyedService(t, mailSettings(server))
  for (const name of ['one', 'two']) {
    const { call } = await anAccount(service, { name })
    await call('PUT', `${API}/account/branding`, { name: `Shop ${name}` })
    const link = { filename: 'x', url: 'https://example.com/x' }
    const asset = await call('POST', `${API}/assets/store`, link)
    await call('POST', ORDERS, { email: 'ada@example.com', assets: [asset.body.data.id] })
  }
  await find(service, 'ada@example.com')
  await until('both mails have arrived', () => server.mails.length === 2)
  const senders = server.mails.map((mail) => mail.header('From')).toSorted()
  assert.deepEqual(senders, ['Shop one <files@sounds.example>', 'Shop two <files@sounds.example>'])
  const silent = await aKeyedService(t)
  assert.match(await (await fetch(`${silent.baseUrl}/find`)).text(), /sends no e-mail/)
  const call = callerWith(silent.baseUrl, ADMIN_KEY)
  assert.equal((await call('GET', MAILS)).body.data.length, 0)
})

test('a buyer whose limit is reached asks the shop for more, once, and a new limit answers', async (t) => {
  const service = await aService(t)
  const { call } = service
  const { file } = await aSoldFile(service)
  const order = await anOrder(service, { ...BUYER, max_downloads: 1 })
  const url = urlOf(order)
  await press(order, file.id)
  const states = async () => {
    const { data } = (await call('GET', `${ORDERS}/${order.id}`)).body as { data: Order }
    const events = await call('GET', `${API}/events?type=order.more_requested`)
    return [data.more_requested?.asset_id, events.body.data.length]
  }
  for (let count = 0; count < 3; count += 1) {
    const asked = await fetch(`${url}/${file.id}/more`, { method: 'POST' })
    assert.equal(asked.status, 200)
    assert.match(await asked.text(), /The shop has your request/)
  }
  assert.deepEqual(await states(), [file.id, 1])
  await call('PATCH', `${ORDERS}/${order.id}`, { max_downloads: 2 })
  assert.deepEqual(await states(), [undefined, 1])
  const unknown = await fetch(`${url}/${order.id}/more`, { method: 'POST' })
  assert.equal(unknown.status, 404)
})

test('past buyers are told of a new version once, and unsubscribe with one click', async (t) => {
  const server = await aMailServer(t)
  const service = await aService(t, { ...mailSettings(server), STOWAGE_MAIL_RATE: '6000' })
  const { call } = service
  const { file } = await aSoldFile(service)
  const first = await anOrder(service, { ...BUYER, locale: 'de' })
  await anOrder(service, { email: 'ADA@example.com' })
  await anOrder(service, { email: 'grace@example.com' })
  const path = `${API}/assets/${file.id}/notify`
  const none = await call('POST', path, { dry_run: true })
  assert.deepEqual([none.body.data.version, none.body.data.recipients], [1, 0])
  await replaceFile(service, file.id, 'better')
  await anOrder(service, { email: 'later@example.com' })
  const trial = await call('POST', path, { dry_run: true })
  assert.equal(trial.status, 200, JSON.stringify(trial.body))
  const { version, recipients, notice, preview } = trial.body.data
  assert.deepEqual([version, recipients, notice], [2, 2, null])
  assert.equal(preview.subject, 'Neue Version von pack.zip')
  assert.ok(preview.text.includes(urlOf(first)))
  assert.equal(server.mails.length, 0)
  const [started, repeated] = await Promise.all([call('POST', path), call('POST', path)])
  const { id } = started.body.data.notice
  assert.equal(repeated.body.data.notice.id, id)
  await until('all mails have arrived', () => server.mails.length === 2)
  await until('the notice is done', async () => {
    const [listed] = (await call('GET', `${API}/assets/${file.id}/notices`)).body.data
    return listed.state === 'done' && listed.queued === 2
  })
  assert.deepEqual(server.mails.flatMap(({ to }) => to).toSorted(), [
    'ada@example.com',
    'grace@example.com',
  ])
  const ended = await call('PATCH', `${API}/notices/${id}`, { state: 'paused' })
  assert.deepEqual([ended.status, ended.body.code], [409, 'notice_ended'])

  const [mail] = server.to('ada@example.com')
  assert.equal(mail?.header('List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click')
  const leave = mail?.header('List-Unsubscribe')?.match(/^<(http[^>]+)>$/)?.[1] ?? ''
  assert.match(await (await fetch(leave)).text(), /<form method="post"/)
  const left = await fetch(leave, {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  })
  assert.equal(left.status, 200)
  assert.equal((await fetch(`${leave.slice(0, -2)}AA`)).status, 404)
  await replaceFile(service, file.id, 'best')
  const next = (await call('POST', path)).body.data
  assert.deepEqual([next.version, next.recipients, next.unsubscribed], [3, 2, 1])
  await until('two more mails have arrived', () => server.mails.length === 4)
  assert.equal(server.to('ada@example.com').length, 1)
  // The mails of their own orders still arrive.
  await call('POST', `${ORDERS}/${first.id}/email`)
  await until('the mail of the order has arrived', () => server.to('ada@example.com').length === 2)
  assert.equal((await listMails(service, `?notice=${id}`)).length, 2)
})
