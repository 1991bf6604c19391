import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { aMailServer, mailSettings } from '@stowage/testing/service/mail-server'
import { aService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { readConfig } from '../../../src/config/config.ts'
import { MAIL_KINDS, type MailKind } from '../../../src/domain/mail.ts'
import { type Branding, NO_BRANDING } from '../../../src/domain/order.ts'
import { type MailValues, renderMail } from '../../../src/mail/render.ts'
import { LANGUAGES, MAX_PARAGRAPHS, maxUsesOf, PLACEHOLDERS } from '../../../src/mail/texts.ts'
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
    [{ subject: 'Hi', text: '{url}'.repeat(4) }, 'text', /\{url\} too often: at most 3/],
    [
      { subject: 'Hi', text: `{url}${'\n\nx'.repeat(100)}` },
      'text',
      /has 101 paragraphs; at most 100/,
    ],
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

const PAGE = 'https://files.example.com/d/aBcDeFgHiJkLmNoPqRsTuVwXyZ012345'
const LEAVE = 'https://files.example.com/unsubscribe/aBcDeFgHiJkLmNoPqRsTuVwXyZ012345'

/** A mail with so many orders. Each text about the order, the buyer and the shop is this one. */
function aMail(
  kind: MailKind,
  locale: string,
  { text, count, own }: { text: string; count: number; own?: string },
) {
  const orderedAt = new Date('2026-01-31T12:00:00Z')
  const order = { number: text, orderedAt, status: 'active' as const, url: PAGE }
  const branding: Branding = {
    ...NO_BRANDING,
    ...{
      name: text,
      logo: 'a',
      color: '#ffd43b',
      helpText: text.repeat(2).slice(0, 500),
      helpEmail: 'help@sounds.example',
    },
  }
  const values: MailValues = {
    ...{ name: text, orderNumber: text, url: PAGE, filename: text, version: 2 },
    ...{ files: Array(20).fill(text), fileCount: 1000, expiresAt: orderedAt },
    orders: Array(count).fill(order),
  }
  const settings = { replyTo: null, texts: {} }
  const unsubscribeUrl = kind === 'new_version' ? LEAVE : undefined
  const content = { kind, locale, branding, settings, values, unsubscribeUrl }
  return renderMail({ ...content, ...(own !== undefined && { own: { text: own } }) })
}

test('the HTML of a mail loads nothing, and is built from what Outlook shows', () => {
  for (const kind of MAIL_KINDS) {
    for (const language of LANGUAGES) {
      // A URL in the text of others does not become a link.
      const text = 'Ada & http://evil.example <img src="https://evil.example/x.gif">'
      const { html } = aMail(kind, language, { text, count: 3 })
      const tags = [...html.matchAll(/<(\w+)([^>]*)>/g)].map(
        ([tag, name = '', attributes = '']) => {
          return { tag, name, attributes }
        },
      )
      const known = 'html head meta title style body table tr td p a br span'.split(' ')
      for (const { tag, name, attributes } of tags) {
        assert.ok(known.includes(name), tag)
        assert.doesNotMatch(attributes, /\b(src|srcset|background|on\w+)=/, tag)
        // Some services remove the style element, and Outlook ignores what is not a table.
        if (name === 'table') assert.match(attributes, /role="presentation".* border="0"/, tag)
        if (['p', 'a'].includes(name)) assert.match(attributes, /style="/, tag)
        // Word knows no other background than this.
        if (/background:#/.test(attributes)) assert.match(attributes, /bgcolor="#/, tag)
      }
      const styles = [
        ...html.matchAll(/<style>([^<]*)<\/style>/g),
        ...html.matchAll(/style="([^"]*)"/g),
      ].map(([, rules = '']) => rules)
      for (const rules of styles) {
        assert.doesNotMatch(rules, /url\(|@import|@font-face|var\(|flex|grid|position|float|rem\b/)
      }
      // Outlook knows no maximum width.
      assert.match(html, /<!--\[if mso\]><table [^>]*width="600"/)
      const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, url = '']) => url)
      const allowed = kind === 'new_version' ? [PAGE, LEAVE] : [PAGE]
      assert.deepEqual([...new Set(links)].toSorted(), allowed.toSorted())
    }
  }
})

test('a list of files has ten names, and the number of the others', () => {
  for (const [language, end] of [
    ['en', 'a.zip, a.zip, 990 more'],
    ['de', 'a.zip, a.zip, 990 weitere'],
    ['ja', 'a.zip、a.zip、他 990 件'],
  ] as const) {
    const { text } = aMail('files_ready', language, { text: 'a.zip', count: 0 })
    const line = text.split('\n').find((one) => one.includes('990')) ?? ''
    assert.ok(line.endsWith(end), line)
    assert.equal(line.split('a.zip').length, 11)
  }
})

test('the HTML of a mail is smaller than 100 kB, however long its texts are', () => {
  // A quote takes six bytes in HTML.
  const text = '"'.repeat(255)
  for (const kind of MAIL_KINDS) {
    const placeholders = PLACEHOLDERS[kind]
      .map((name) => `{${name}}\n\n`.repeat(maxUsesOf(name)))
      .join('')
    const paragraphs = 'x\n\n'.repeat(MAX_PARAGRAPHS - placeholders.split('\n\n').length)
    const before = paragraphs + placeholders
    const own = before + '"'.repeat(5000 - before.length)
    for (const language of LANGUAGES) {
      for (const more of [{}, { own }]) {
        const { html } = aMail(kind, language, { text, count: 50, ...more })
        const size = Buffer.byteLength(html)
        assert.ok(size < 100_000, `${kind} in ${language} has ${size} bytes`)
      }
    }
  }
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
