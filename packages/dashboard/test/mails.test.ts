import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aMailServer, mailSettings } from '@stowage/testing/service/mail-server'
import type { Page } from 'playwright-core'
import { assertAccessible, assertAccessibleAtAllWidths, DIALOG } from './support/axe.ts'
import {
  missingForBrowser,
  openDashboard,
  openPage,
  skipUnlessCi,
  until,
} from './support/dashboard.ts'
import { HOSTILE, recordDialogs } from './support/products.ts'

const NO_BROWSER = await missingForBrowser()
const ADA = 'ada@example.com'

const frame = (page: Page) => page.frameLocator('iframe[title="The mail"]')
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

test('the outbox shows mails as they are sent, the reason of a failed one, and sends it again', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const server = await aMailServer(t, {
    refuse: (to) => (to === ADA ? undefined : { code: 550, text: 'No such mailbox' }),
  })
  const { page, client } = await openDashboard(t, mailSettings(server))
  const dialogs = recordDialogs(page)
  const file = await client.upload(Buffer.from('1'), { name: 'song.wav' })
  await page.goto('/mails')
  await page.getByRole('heading', { name: 'No mails yet' }).waitFor()
  await page.getByText('sent from files@sounds.example').waitFor()
  const order = { name: HOSTILE, assets: [file.id], notify: true }
  const { id } = await client.createOrder({ ...order, email: ADA })
  await client.createOrder({ ...order, email: 'grace@example.com' })
  // Both appear without a reload.
  await page.getByRole('row', { name: /ada.*Your files are ready Sent/ }).waitFor()
  await page.getByRole('row', { name: /grace.*No such mailbox.*Failed/ }).waitFor()
  await assertAccessibleAtAllWidths(page, 'mails')
  await page.getByLabel('State', { exact: true }).selectOption('Failed')
  await page.getByRole('row', { name: /ada/ }).waitFor({ state: 'hidden' })

  await page.getByRole('link', { name: /grace/ }).click()
  await page.getByRole('alert').getByText('550 No such mailbox').waitFor()
  await frame(page).getByText(HOSTILE).waitFor()
  // The styles of the mail are shown, although the policy of the page allows none in HTML.
  const style = await page.evaluate(
    `getComputedStyle(document.querySelector('iframe').contentDocument.querySelector('.card')).maxWidth`,
  )
  assert.equal(style, '600px')
  await assertAccessibleAtAllWidths(page, 'a mail')
  await page.getByText('Plain text', { exact: true }).click()
  await page.getByText('You can download them on this page').waitFor()
  server.rules.refuse = () => undefined
  await button(page, 'Send again').click()
  await page.getByText('Sent', { exact: true }).first().waitFor()
  assert.equal(server.to('grace@example.com').length, 1)

  await page.getByRole('link', { name: 'All mails' }).click()
  await button(page, 'Send a test mail').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('E-mail').fill('me@example.com')
  await dialog.getByRole('button', { name: 'Send' }).click()
  await dialog.getByText('The mail server accepted the mail').waitFor()
  await assertAccessible(page, 'a test mail', DIALOG)
  assert.equal(server.to('me@example.com').length, 1)

  await openPage(page, `/orders/${id}`)
  const mails = page.getByRole('region', { name: 'Mails' })
  await mails.getByRole('listitem').getByText('Sent').waitFor()
  await button(page, 'Send e-mail again').click()
  await mails.getByRole('listitem').nth(1).waitFor()
  await mails.getByText('Sent', { exact: true }).nth(1).waitFor()
  assert.equal(server.to(ADA).length, 2)
  await assertAccessibleAtAllWidths(page, 'an order with mails')
  assert.deepEqual(dialogs, [])
})

test('texts of mails are previewed with real data, refused with a wrong placeholder, and restored', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const link = await client.store({ filename: 'score.pdf', url: 'https://example.com/score.pdf' })
  await client.createOrder({ name: 'Ada', email: ADA, assets: [link.id] })
  await page.goto('/settings')
  const section = page.getByRole('region', { name: 'Texts of mails' })
  await section.getByLabel('Language').selectOption('German')
  const subject = section.getByLabel('Subject')
  const text = section.getByLabel('Text', { exact: true })
  await subject.fill('Viel Freude, {nmae}')
  await button(page, 'Preview').click()
  await section.getByText(/has unknown placeholders: \{nmae\}\. Known are \{name\}/).waitFor()
  await subject.fill('Viel Freude, {name}')
  await text.fill('Hallo {name},\n\nviel Freude mit {files}.')
  await section.getByRole('button', { name: 'Save' }).last().click()
  await section.getByText('must have the placeholder {url}').waitFor()
  await text.fill('Hallo {name},\n\nviel Freude mit {files}.\n\n{url}')
  await button(page, 'Preview').click()
  await section.getByText('Viel Freude, Ada').waitFor()
  await frame(page).getByText('viel Freude mit score.pdf').waitFor()
  await assertAccessibleAtAllWidths(page, 'the texts of mails')
  await section.getByRole('button', { name: 'Save' }).last().click()
  await section.getByText('You have changed this text.').waitFor()
  const { texts } = await client.mailTexts()
  assert.equal(texts.files_ready.de.subject, 'Viel Freude, {name}')
  assert.ok(texts.files_ready.en.is_default)
  await button(page, 'Back to the standard text').click()
  await section.getByText('You have changed this text.').waitFor({ state: 'hidden' })
  assert.equal(await subject.inputValue(), 'Ihre Dateien sind bereit')
  await section.getByLabel('Replies of buyers go to').fill('help@example.com')
  await section.getByRole('button', { name: 'Save' }).first().click()
  await page.getByText('The e-mail for replies is changed').waitFor()
  assert.equal((await client.mailTexts()).reply_to, 'help@example.com')
})

test('buyers are told of a new version after a preview, which is paused, continued and cancelled', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const server = await aMailServer(t)
  // One mail a minute, so that the others are not sent while the test runs.
  const settings = { ...mailSettings(server), STOWAGE_MAIL_RATE: '1' }
  const { page, client } = await openDashboard(t, settings)
  const { id } = await client.upload(Buffer.from('1'), { name: 'song.wav' })
  for (const email of [ADA, 'grace@example.com', 'linus@example.com']) {
    await client.createOrder({ email, name: 'Ada', assets: [id] })
  }
  await page.goto(`/assets/${id}`)
  await page.getByRole('heading', { name: 'Versions' }).waitFor()
  await client.replace(id, Buffer.from('22'), { name: 'song.wav' })
  // The section appears with the second version.
  await button(page, 'Tell buyers').click()
  const dialog = page.getByRole('dialog', { name: 'Tell buyers of version 2' })
  await dialog.getByText('3 buyers get this mail.').waitFor()
  await frame(page).getByText('there is a new version of song.wav').waitFor()
  await assertAccessible(page, 'telling buyers', DIALOG)
  assert.equal((await client.notices(id)).length, 0)
  await dialog.getByRole('button', { name: 'Tell 3 buyers' }).click()
  const section = page.getByRole('region', { name: 'News to buyers' })
  await section.getByText(/^1 of 3 mails/).waitFor()
  await until('the first mail is sent', () => server.mails.length === 1)
  await button(page, 'Pause').click()
  await section.getByText('Paused').waitFor()
  await button(page, 'Continue').click()
  await section.getByText('Running').waitFor()
  await button(page, 'Cancel').click()
  await section.getByText('Cancelled').waitFor()
  await assertAccessibleAtAllWidths(page, 'news to buyers')
  await section.getByRole('link', { name: 'Show the mails' }).click()
  await page
    .getByRole('row', { name: /example\.com.*New version Sent/ })
    .first()
    .waitFor()
  await button(page, 'Show all mails').waitFor()
  assert.ok(server.mails.length < 3)
})
