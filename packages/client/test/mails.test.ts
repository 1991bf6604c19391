import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, isStowageError } from '@stowage/client'
import { until } from '@stowage/testing/machine/until'
import { aMailServer, mailSettings } from '@stowage/testing/service/mail-server'
import { aService } from '@stowage/testing/service/service'

test('mails are sent, listed, previewed and sent again; buyers are told of a new version', async (t) => {
  const server = await aMailServer(t)
  const { baseUrl } = await aService(t, { ...mailSettings(server), STOWAGE_MAIL_RATE: '6000' })
  const stowage = createClient({ baseUrl })
  await stowage.putProducts([{ product_id: 1, variant_id: 11, name: 'Book' }])
  const attach = { product_ids: [1] }
  const file = await stowage.upload(new Uint8Array(10), { name: 'book.pdf', attach })
  const order = await stowage.createOrder({
    reference: 'r1',
    email: 'ada@example.com',
    lines: [{ product_id: 1 }],
    notify: true,
  })
  const sent = async (count: number) => {
    await until(`${count} mails are sent`, async () => {
      const { meta } = await stowage.mails({ state: 'sent' }).page()
      return meta.total === count
    })
  }
  await sent(1)
  await stowage.sendOrder('r1')
  await sent(2)
  const [newest] = await Array.fromAsync(stowage.mails({ order: order.id }))
  assert.ok(newest)
  assert.equal(newest.cause, 'call')
  const { content } = await stowage.mail(newest.id)
  assert.ok(content?.text.includes(order.url ?? '?'))
  await stowage.sendMailAgain(newest.id)
  await sent(3)
  assert.equal((await stowage.testMail('grace@example.com')).outcome, 'accepted')

  const { texts, sending } = await stowage.mailTexts()
  assert.deepEqual([sending, texts.links.en?.is_default], ['smtp', true])
  const own = { subject: 'Hi', text: '{url}' }
  const changed = await stowage.changeMailTexts({ texts: { files_ready: { en: own } } })
  assert.equal(changed.texts.files_ready.en?.subject, 'Hi')
  const preview = await stowage.previewMail({ kind: 'files_ready', language: 'en' })
  assert.equal(preview.text, `${order.url}\n`)

  await stowage.replace(file.id, new Uint8Array(20))
  const trial = await stowage.notifyBuyers(file.id, { dry_run: true })
  assert.deepEqual([trial.recipients, trial.notice], [1, null])
  const { notice } = await stowage.notifyBuyers(file.id)
  await sent(4)
  const [listed] = await stowage.notices(file.id)
  assert.equal(listed?.id, notice?.id)
  await until('the notice is done', async () => {
    return (await stowage.notices(file.id))[0]?.state === 'done'
  })
  const paused = stowage.changeNotice(notice?.id ?? '', 'paused')
  await assert.rejects(paused, (error) => isStowageError(error, 'notice_ended'))
})
