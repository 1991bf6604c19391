import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSmtpUrl } from '@stowage/server/src/config/mail'
import { createSecretKey } from '@stowage/server/src/crypto/secret-key'
import { NO_BRANDING } from '@stowage/server/src/domain/order'
import { renderMail } from '@stowage/server/src/mail/render'
import { openSmtp } from '@stowage/server/src/mail/smtp'
import type { Mailing } from '@stowage/server/src/operations/context'
import { unsubscribeUrl } from '@stowage/server/src/operations/subscriptions'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { aRandom, seedOf } from '@stowage/testing/machine/random'
import { ADMIN_KEY, aKeyedService, callerWith } from '@stowage/testing/service/accounts'
import { aMailServer, mailSettings } from '@stowage/testing/service/mail-server'
import { aDeployment } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { openHarness } from '../interleavings/harness.ts'

/*
 * Send more mails and requests, or repeat a run:
 *
 *     MAIL_MESSAGES=10000 FIND_REQUESTS=2000 npx node packages/testing/src/stages/on-engines.ts sqlite+disk packages/proofs/src/mail/mail.test.ts
 *     MAIL_SEED=123 npx node packages/testing/src/stages/on-engines.ts sqlite+disk packages/proofs/src/mail/mail.test.ts
 */
const MESSAGES = Number(process.env.MAIL_MESSAGES ?? 500)
const FIND_REQUESTS = Number(process.env.FIND_REQUESTS ?? 400)

const PIECES: [string, ...string[]] = [
  '\r\n',
  '\r',
  '\n',
  '\u2028',
  '\u0000',
  '\u0085',
  '\t',
  '=?UTF-8?B?DQpCY2M6IGV2aWxAZXhhbXBsZS5jb20=?=',
  '=?utf-8?Q?=0D=0ABcc:_evil@example.com?=',
  'Bcc: evil@example.com',
  'X-Injected: 1',
  '<evil@example.com>',
  '"',
  '\\',
  ',',
  ';',
  ' ',
  '%0d%0aBcc: evil@example.com',
  'ä€😀',
  '\u202e',
  '\ud800',
  'مرحبا',
  'x'.repeat(300),
  '(comment)',
  ': ',
]
const ADDRESSES: [string, ...string[]] = [
  'ada@example.com',
  'ada@bücher.example',
  'ada+tag@example.com',
  '"ada"@example.com',
  'ada@例え.テスト',
]
/** Headers that a mail may have. */
const HEADERS = new Set(
  'from to reply-to subject message-id date mime-version content-type auto-submitted list-unsubscribe list-unsubscribe-post'.split(
    ' ',
  ),
)
const SECRET_KEY = createSecretKey(Buffer.alloc(32, 1).toString('base64'))
const ACCOUNT = '01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f'

test(`no header and no recipient is added by the names, subjects, addresses and order numbers of ${MESSAGES} mails`, async (t) => {
  const seed = seedOf('MAIL_SEED')
  t.diagnostic(`MAIL_SEED=${seed} repeats the choices`)
  const random = aRandom(seed)
  const hostile = () =>
    Array.from({ length: random.between(0, 8) }, () => random.pick(PIECES)).join('')
  // Most addresses are valid; a few are hostile, although the API refuses them.
  const anAddress = () =>
    random.between(0, 10) === 0 ? `a${hostile()}@example.com` : random.pick(ADDRESSES)
  const receiver = await aMailServer(t)
  const config = parseSmtpUrl(receiver.url)
  assert.ok(config)
  const server = openSmtp(config)
  cleanUp(t, () => server.close())
  let refused = 0
  const leaveUrls = new Map<string, string>()
  for (let count = 0; count < MESSAGES; count += 1) {
    const to = anAddress()
    const messageId = `<${count}@sounds.example>`
    const context = {
      accountId: ACCOUNT,
      secretKey: SECRET_KEY,
      mail: { baseUrl: () => 'https://files.example.com' } as Mailing,
    }
    const leave = random.between(0, 2) === 0 ? unsubscribeUrl(context, to) : undefined
    if (leave !== undefined) leaveUrls.set(messageId, leave)
    const branding = { ...NO_BRANDING, name: hostile(), helpText: hostile() }
    const content = renderMail({
      kind: 'new_version',
      locale: random.pick(['en', 'de', 'ja', 'ar']),
      branding,
      settings: { replyTo: null, texts: {} },
      values: { name: hostile(), orderNumber: hostile(), filename: hostile(), version: 2 },
      own: {
        subject: `{name}{order_number}${hostile()}{shop}{filename}`,
        text: `{name}\r\n.\r\n${hostile()}\n.\n{filename}\r.\r{order_number}`,
      },
      unsubscribeUrl: leave,
    })
    const result = await server.send({
      ...content,
      from: { name: branding.name, address: 'files@sounds.example' },
      to,
      replyTo: random.between(0, 2) === 0 ? anAddress() : null,
      messageId,
      date: new Date(count),
      unsubscribeUrl: leave,
    })
    if (result.outcome === 'accepted') continue
    assert.equal(result.outcome, 'refused', JSON.stringify([to, result]))
    refused += 1
  }
  assert.equal(receiver.mails.length, MESSAGES - refused)
  t.diagnostic(`${refused} addresses were refused`)
  const ids = new Set<string | undefined>()
  for (const mail of receiver.mails) {
    const [head = ''] = mail.raw.split('\r\n\r\n')
    const names = head
      .replaceAll(/\r\n[ \t]/g, ' ')
      .split('\r\n')
      .map((line) => line.split(':')[0]?.toLowerCase() ?? '')
    for (const name of names) assert.ok(HEADERS.has(name), `${name} in ${head}`)
    assert.equal(new Set(names).size, names.length, head)
    // Servers disagree on what a part of the end of a line means.
    assert.doesNotMatch(mail.raw, /\r(?!\n)|(?<!\r)\n|\0/)
    assert.equal(mail.to.length, 1)
    assert.ok(!mail.to.includes('evil@example.com'))
    const messageId = mail.header('Message-ID') ?? ''
    const leave = leaveUrls.get(messageId)
    assert.equal(mail.header('List-Unsubscribe'), leave && `<${leave}>`)
    ids.add(messageId)
  }
  assert.equal(ids.size, receiver.mails.length)
})

test('a request for lost links makes the same calls for a known and an unknown address, and wakes no job', async (t) => {
  const deployment = await aDeployment(t, { isReliable: true, isInMemory: true })
  const { context, account, runWithPoints, close } = await openHarness(deployment.settings)
  cleanUp(t, close)
  const link = { filename: 'x', url: 'https://example.com/x' }
  const { body } = await account.call('POST', `${API}/assets/store`, link)
  const order = { email: 'ada@example.com', assets: [body.data.id] }
  assert.equal((await account.call('POST', `${API}/orders`, order)).status, 201)
  let woken = 0
  context.mail.queue.addEventListener('due', () => {
    woken += 1
  })
  for (const email of ['ada@example.com', 'nobody@example.com']) {
    const calls: string[] = []
    const { status } = await runWithPoints(
      async (point) => void calls.push(point),
      () => account.call('POST', '/find', { email }),
    )
    assert.equal(status, 200)
    // The statement does not read orders: it stores the address.
    assert.deepEqual(calls, ['before database.addLinkRequest', 'after database.addLinkRequest'])
  }
  assert.equal(woken, 0)
  assert.equal((await context.database.listLinkRequests(10)).length, 2)
})

test(`the time of ${FIND_REQUESTS} requests for lost links does not tell known addresses`, async (t) => {
  const receiver = await aMailServer(t)
  const settings = { ...mailSettings(receiver), STOWAGE_TRUST_PROXY: '1' }
  const { baseUrl } = await aKeyedService(t, settings)
  const call = callerWith(baseUrl, ADMIN_KEY)
  const link = { filename: 'x', url: 'https://example.com/x' }
  const { body } = await call('POST', `${API}/assets/store`, link)
  const assets = [body.data.id]
  const known = Array.from({ length: FIND_REQUESTS / 2 }, (_, at) => `known${at}@example.com`)
  for (const email of known) await call('POST', `${API}/orders`, { email, assets })
  const times: { ms: number; isKnown: boolean }[] = []
  for (let at = 0; at < FIND_REQUESTS; at += 1) {
    const isKnown = at % 2 === 0
    const email = isKnown ? (known[at / 2] ?? '') : `other${at}@example.com`
    const begin = performance.now()
    const response = await fetch(`${baseUrl}/find`, {
      method: 'POST',
      headers: { 'X-Forwarded-For': `10.${at >> 8}.${at & 255}.1` },
      body: new URLSearchParams({ email }),
    })
    await response.arrayBuffer()
    times.push({ ms: performance.now() - begin, isKnown })
    assert.equal(response.status, 200)
  }
  // The rank-sum test of Mann and Whitney: about 0 for equal distributions.
  const half = FIND_REQUESTS / 2
  const ranks = times.toSorted((a, b) => a.ms - b.ms)
  const sum = ranks.reduce((total, { isKnown }, rank) => (isKnown ? total + rank + 1 : total), 0)
  const expected = (half * (FIND_REQUESTS + 1)) / 2
  const deviation = Math.sqrt((half * half * (FIND_REQUESTS + 1)) / 12)
  const score = (sum - expected) / deviation
  const medianOf = (of: boolean) =>
    ranks.filter(({ isKnown }) => isKnown === of)[Math.floor(half / 2)]?.ms.toFixed(2)
  t.diagnostic(`score ${score.toFixed(2)}, medians ${medianOf(true)} ms and ${medianOf(false)} ms`)
  assert.ok(Math.abs(score) < 4, `score ${score}`)
})
