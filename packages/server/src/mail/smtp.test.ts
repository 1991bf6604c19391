import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { aMailServer, type MailServerRules } from '@stowage/testing/service/mail-server'
import { parseSmtpUrl } from '../config/mail.ts'
import { examineMail } from './examine.ts'
import type { Message } from './mail.ts'
import { openSmtp, type SmtpTimeouts } from './smtp.ts'

const MESSAGE: Message = {
  from: { name: 'Söunds\r\nBcc: evil@example.com', address: 'files@sounds.example' },
  to: 'ada@example.com',
  replyTo: null,
  subject: 'Hällo\r\nBcc: evil@example.com',
  text: '.\r\nText ✓\n',
  html: '<p>Text ✓</p>',
  messageId: '<1@sounds.example>',
  date: new Date('2026-01-31T12:00:00Z'),
}

function open(t: TestContext, url: string, timeouts?: SmtpTimeouts) {
  const config = parseSmtpUrl(url)
  assert.ok(config)
  const server = openSmtp(config, timeouts)
  cleanUp(t, () => server.close())
  return server
}

test('messages share connections, and no header can be added by a name or a subject', async (t) => {
  const receiver = await aMailServer(t)
  const server = open(t, receiver.url)
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, at) => server.send({ ...MESSAGE, to: `a${at}@example.com` })),
  )
  assert.deepEqual(new Set(results.map(({ outcome }) => outcome)), new Set(['accepted']))
  assert.equal(receiver.mails.length, 20)
  for (const mail of receiver.mails) {
    assert.equal(mail.header('Bcc'), undefined)
    assert.equal(mail.header('Message-ID'), '<1@sounds.example>')
    assert.equal(mail.to.length, 1)
  }
})

test('responses decide whether a message is repeated', async (t) => {
  let code = 550
  const receiver = await aMailServer(t, {
    refuse: () => (code === 552 ? undefined : { code, text: 'No' }),
    refuseMessage: () => ({ code: 552, text: 'Mailbox full' }),
  })
  const server = open(t, receiver.url)
  const outcomes: unknown[] = []
  for (code of [550, 450, 421, 552, 530]) {
    const { outcome, ...rest } = await server.send(MESSAGE)
    outcomes.push([code, outcome, 'isUnreachable' in rest && rest.isUnreachable])
  }
  assert.deepEqual(outcomes, [
    [550, 'refused', false],
    [450, 'postponed', false],
    [421, 'postponed', true],
    [552, 'refused', false],
    [530, 'postponed', true],
  ])
  const invalid = await server.send({ ...MESSAGE, to: 'no address' })
  assert.equal(invalid.outcome, 'refused')
})

test('a connection that breaks after the message counts as an attempt, and nothing is lost', async (t) => {
  const receiver = await aMailServer(t, { onMessage: () => 'break' })
  const server = open(t, receiver.url)
  const broken = await server.send(MESSAGE)
  assert.ok(broken.outcome === 'postponed', JSON.stringify(broken))
  assert.equal(broken.isUnreachable, false)
  assert.equal(receiver.mails.length, 1)
  receiver.rules.onMessage = () => undefined
  assert.equal((await server.send(MESSAGE)).outcome, 'accepted')
})

/** A server whose connections are handled by this function. */
async function aRawServer(t: TestContext, handle: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    handle(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUp(t, async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  return `smtp://127.0.0.1:${address.port}`
}

test('a server that is down, silent, slow or wrong does not hold a message longer than the limit', async (t) => {
  const short = { connectMs: 300, greetingMs: 300, socketMs: 500, messageMs: 1_000 }
  const down = open(t, 'smtp://127.0.0.1:1', short)
  const silent = open(t, await aRawServer(t, () => {}), short)
  const drip = await aRawServer(t, (socket) => {
    socket.write('220-')
    const timer = setInterval(() => socket.write('x'), 100)
    socket.on('close', () => clearInterval(timer))
  })
  const slow = open(t, drip, short)
  const wrong = open(t, await aRawServer(t, (socket) => socket.end('HTTP/1.1 400\r\n\r\n')), short)
  for (const server of [down, silent, slow, wrong]) {
    const begin = performance.now()
    const result = await server.send(MESSAGE)
    assert.ok(result.outcome === 'postponed' && result.isUnreachable, JSON.stringify(result))
    assert.ok(performance.now() - begin < 5_000)
  }
})

test('a certificate that is not trusted is refused before anything is sent', async (t) => {
  // The certificate of smtp-server is for localhost, and signed by nobody.
  const receiver = await aMailServer(t, { options: { disabledCommands: ['AUTH'] } })
  const result = await open(t, receiver.url).send(MESSAGE)
  assert.ok(result.outcome === 'postponed' && result.isUnreachable, JSON.stringify(result))
  assert.match(result.response, /certificate/i)
  assert.equal(receiver.mails.length, 0)
  const findings = await Array.fromAsync(examineMail(open(t, receiver.url), 'localhost'))
  assert.deepEqual(
    findings.map(({ check, status }) => [check, status]),
    [['mail', 'error']],
  )
})

test('the check of doctor authenticates, and sends nothing', async (t) => {
  const options: MailServerRules['options'] = {
    authOptional: false,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      if (password === 'right') done(null, { user: username ?? '' })
      else done(Object.assign(new Error('Wrong password'), { responseCode: 535 }))
    },
  }
  const receiver = await aMailServer(t, { options })
  const at = receiver.url.replace('smtp://', '')
  const check = async (password: string) => {
    const server = open(t, `smtp://user:${password}@${at}`)
    return (await Array.fromAsync(examineMail(server, 'localhost')))[0]
  }
  assert.equal((await check('right'))?.status, 'ok')
  const wrong = await check('wrong')
  assert.equal(wrong?.status, 'error')
  assert.match(wrong?.message ?? '', /Wrong password/)
  assert.equal(receiver.mails.length, 0)
  const sent = await open(t, `smtp://user:wrong@${at}`).send(MESSAGE)
  assert.ok(sent.outcome === 'postponed' && sent.isUnreachable, JSON.stringify(sent))
})
