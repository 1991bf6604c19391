import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import { aMailServer, mailSettings } from '@stowage/testing/service/mail-server'
import { aService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { aCli } from './support/cli.ts'

test('mail lists, shows, sends and tests', async (t) => {
  const server = await aMailServer(t, {
    refuse: (address) =>
      address.startsWith('gone') ? { code: 550, text: 'No such user' } : undefined,
  })
  const { baseUrl, call } = await aService(t, mailSettings(server))
  const link = { filename: 'book.pdf', url: 'https://example.com/book.pdf' }
  const asset = await call('POST', `${API}/assets/store`, link)
  const order = { email: 'ada@example.com', reference: 'r1', assets: [asset.body.data.id] }
  const created = await call('POST', `${API}/orders`, { ...order, notify: true })
  const cli = await aCli(t, baseUrl)
  const run = async (code: number, ...words: string[]) => {
    const result = await cli.run('mail', ...words)
    assert.equal(result.code, code, result.stderr)
    return result.stdout
  }
  await until('the mail has arrived', () => server.mails.length === 1)
  await until('the mail is sent', async () => /sent/.test(await run(0, 'ls', '--state', 'sent')))
  const [mail] = JSON.parse(await run(0, 'ls', '--order', 'r1', '--json'))
  assert.match(await run(0, 'ls'), /sent +files_ready +ada@example\.com/)
  const shown = await run(0, 'show', mail.id)
  assert.match(shown, /^From: Sounds <files@sounds\.example>\nTo: ada@example\.com\n/)
  assert.ok(shown.includes(created.body.data.url))
  assert.match(await run(0, 'show', mail.id, '--html'), /^<!doctype html>/)
  await run(0, 'send', mail.id)
  await until('another mail has arrived', () => server.mails.length === 2)
  assert.match(await run(0, 'test', 'grace@example.com'), /^accepted: 250/)
  assert.match(await run(1, 'test', 'gone@example.com'), /^refused: 550 No such user/)
  await run(2, 'ls', '--state', 'lost')
  await run(2, 'unknown')
})
