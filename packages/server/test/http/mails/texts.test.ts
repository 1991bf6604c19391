import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { aMailServer, mailSettings } from '@stowage/testing/service/mail-server'
import { aService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { readConfig } from '../../../src/config/config.ts'
import { BUYER, MAILS, mailThatIs } from '../../support/mails.ts'
import { anOrder, aSoldFile, urlOf } from '../../support/orders.ts'

/* Runs on sqlite+disk and postgres+disk. */

const TEXTS = `${API}/account/mail-texts`

test('the texts of the account replace those of the service, by kind and language', async (t) => {
  const server = await aMailServer(t)
  const service = await aService(t, mailSettings(server))
  const { call } = service
  await aSoldFile(service)
  const before = (await call('GET', TEXTS)).body.data
  assert.deepEqual([before.sending, before.from], ['smtp', 'files@sounds.example'])
  assert.equal(before.texts.files_ready.de.is_default, true)
  assert.ok(before.placeholders.links.includes('orders'))
  const own = {
    subject: 'Viel Spaß, {name}!',
    text: 'Hallo {name},\n\nBestellung {order_number}\n\n{url}',
  }
  const changed = await call('PUT', TEXTS, {
    reply_to: 'hilfe@sounds.example',
    texts: { files_ready: { de: own } },
  })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  const { texts, reply_to } = changed.body.data
  assert.deepEqual(texts.files_ready.de, { ...own, is_default: false })
  assert.deepEqual(texts.files_ready.en, before.texts.files_ready.en)
  assert.equal(reply_to, 'hilfe@sounds.example')

  const order = await anOrder(service, {
    email: BUYER.email,
    name: 'Änne',
    locale: 'de-AT',
    notify: true,
  })
  const mail = await mailThatIs(service, 'sent')
  const { content } = (await call('GET', `${MAILS}/${mail.id}`)).body.data
  assert.equal(content.subject, 'Viel Spaß, Änne!')
  // The order has no number, so the line is left out.
  assert.equal(content.text, `Hallo Änne,\n\n${urlOf(order)}\n`)
  assert.equal(server.mails[0]?.header('Reply-To'), 'hilfe@sounds.example')
  assert.match(server.mails[0]?.header('Subject') ?? '', /^=\?UTF-8\?/)

  const restored = await call('PUT', TEXTS, {
    reply_to: null,
    texts: { files_ready: { de: null } },
  })
  assert.deepEqual(restored.body.data, before)
})

test('a wrong or missing placeholder is refused and named, and nothing changes', async (t) => {
  const { call } = await aService(t)
  const before = (await call('GET', TEXTS)).body.data
  const good = { subject: 'x', text: '{url}' }
  for (const [text, field, problem] of [
    [{ subject: 'Hi {nmae}', text: '{url}' }, 'subject', /unknown placeholders: \{nmae\}/],
    [{ subject: 'Hi', text: '{url} {orders}' }, 'text', /unknown placeholders: \{orders\}/],
    [{ subject: 'Hi', text: '{url} { name }' }, 'text', /unknown placeholders: \{ name \}/],
    [{ subject: 'Hi', text: 'Enjoy' }, 'text', /must have the placeholder \{url\}/],
    [{ subject: 'Hi\r\nBcc: a@b', text: '{url}' }, 'subject', /must not have control characters/],
    [{ subject: 'Hi', text: '{url}', html: '' }, 'html', /./],
  ] as const) {
    const texts = { files_ready: { en: good, fr: text } }
    const refused = await call('PUT', TEXTS, { texts })
    assert.equal(refused.status, 422, JSON.stringify(refused.body))
    const [[path, [first]]] = Object.entries<string[]>(refused.body.errors) as [[string, string[]]]
    assert.ok(path.endsWith(field), path)
    assert.match(first ?? '', problem)
  }
  for (const body of [
    { texts: { files_ready: { xx: good } } },
    { texts: { other: { en: good } } },
    { reply_to: 'nobody' },
    { unknown: 1 },
  ]) {
    assert.equal((await call('PUT', TEXTS, body)).status, 422, JSON.stringify(body))
  }
  assert.deepEqual((await call('GET', TEXTS)).body.data, before)
})

test('a preview has the data of the newest order, of a given one, or made-up data', async (t) => {
  const service = await aService(t)
  const { call } = service
  const preview = (body: object) => call('POST', `${TEXTS}/preview`, body)
  for (const kind of ['files_ready', 'new_version', 'links']) {
    for (const language of ['en', 'de', 'fr', 'es', 'ja', 'ar']) {
      const { status, body } = await preview({ kind, language })
      assert.equal(status, 200, JSON.stringify(body))
      const { subject, text, html } = body.data
      assert.doesNotMatch(subject + text, /[{}]/)
      assert.ok(text.includes('#1001') && text.includes('/d/'), text)
      assert.ok(Buffer.byteLength(html) < 100_000)
      assert.ok(html.includes(`dir="${language === 'ar' ? 'rtl' : 'ltr'}"`))
    }
  }
  await aSoldFile(service)
  const older = await anOrder(service, { email: 'a@example.com', name: '<b>Ada</b> {url}' })
  const newer = await anOrder(service, { email: 'b@example.com' })
  const own = {
    kind: 'files_ready',
    language: 'en',
    subject: '{name} {files}',
    text: 'To {name}: {url}',
  }
  const { data } = (await preview({ ...own, order_id: older.id })).body
  assert.equal(data.subject, '<b>Ada</b> {url} pack.zip')
  assert.equal(data.text, `To <b>Ada</b> {url}: ${urlOf(older)}\n`)
  assert.ok(data.html.includes('To &lt;b&gt;Ada&lt;/b&gt; {url}: <a'), data.html)
  assert.ok((await preview(own)).body.data.text.includes(urlOf(newer)))
  const refused = await preview({ ...own, text: '{wrong}' })
  assert.deepEqual(Object.keys(refused.body.errors), ['text'])
})

test('the settings and the texts of docs/mail.md are accepted', async (t) => {
  const page = readFileSync(new URL('../../../../../docs/mail.md', import.meta.url), 'utf8')
  const snippetOf = (language: string) =>
    page.match(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``))?.[1] ?? ''
  const lines = snippetOf('sh').trim().split('\n')
  const entries = lines.map((line) => line.replaceAll("'", '').split(/=(.*)/s).slice(0, 2))
  const { mail } = readConfig(Object.fromEntries(entries))
  assert.deepEqual([mail.smtp?.host, mail.from?.name], ['mail.example.com', 'Sounds'])
  const { call } = await aService(t)
  const changed = await call('PUT', TEXTS, JSON.parse(snippetOf('json')))
  assert.equal(changed.body.data?.texts.files_ready.en.subject, 'Enjoy!')
})
