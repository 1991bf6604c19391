import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anHttpServer } from '@stowage/testing/machine/ports'
import { assertAccessible, DIALOG } from './support/axe.ts'
import { missingForBrowser, openDashboard, skipUnlessCi, until } from './support/dashboard.ts'
import { HOSTILE, recordDialogs } from './support/products.ts'

const NO_BROWSER = await missingForBrowser()

test('a webhook is added, tested, disabled and deleted, and a delivery is sent again', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const dialogs = recordDialogs(page)
  const bodies: string[] = []
  let status = 200
  const receiver = await anHttpServer(t, (request, response) => {
    request.setEncoding('utf8').on('data', (body) => bodies.push(body))
    request.on('end', () => response.writeHead(status).end(HOSTILE))
  })
  const url = `${receiver}/hook`

  await page.goto('/settings')
  await page.getByText('No webhooks yet').waitFor()
  await page.getByRole('button', { name: 'Add webhook' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add webhook' })
  await dialog.getByLabel('URL').fill(url)
  await dialog.getByLabel('Only these types').check()
  // At least one type is required.
  assert.ok(await dialog.getByRole('button', { name: 'Add' }).isDisabled())
  await dialog.getByLabel('A new file is uploaded, or a URL is added').check()
  await dialog.getByLabel('It is moved to the trash').check()
  await assertAccessible(page, 'the form of a webhook', DIALOG)
  await dialog.getByRole('button', { name: 'Add' }).click()
  const shown = page.getByRole('dialog', { name: 'The secret of your webhook' })
  assert.match(await shown.getByTestId('secret').innerText(), /^whsec_/)
  await page.keyboard.press('Escape')
  assert.ok(await shown.isVisible())
  await shown.getByRole('button', { name: 'I have saved it' }).click()
  await page.getByText('2 types of events').waitFor()
  await assertAccessible(page, 'webhooks')

  await page.getByRole('link', { name: url }).click()
  await page.getByText('Nothing has been sent yet').waitFor()
  await page.getByRole('button', { name: 'Send test' }).click()
  await page.getByText('The test succeeded').waitFor()
  status = 500
  await page.getByRole('button', { name: 'Send test' }).click()
  await page.getByText('The test failed').waitFor()
  status = 200

  await client.store({ filename: 'a.zip', url: 'https://example.com/a.zip' })
  await until('the event is sent', () => bodies.length === 3)
  // The page shows the delivery without a reload.
  const row = page.getByRole('group').filter({ hasText: 'asset.ready' })
  await row.getByText('succeeded').click()
  await row.getByText('"filename":"a.zip"').waitFor()
  await assertAccessible(page, 'a webhook and its deliveries')
  await row.getByRole('button', { name: 'Send again' }).click()
  await until('the event is sent again', () => bodies.length === 4)
  assert.equal(bodies[3], bodies[2])

  const time = await row.locator('time').first().innerText()
  assert.match(time, /:\d\d:\d\d/, 'with seconds')

  await page.getByRole('button', { name: 'Edit' }).click()
  const editing = page.getByRole('dialog', { name: 'Edit webhook' })
  assert.ok(await editing.getByLabel('It is moved to the trash').isChecked())
  await editing.getByRole('textbox', { name: 'URL' }).fill('not a URL')
  await editing
    .getByRole('group', { name: 'Types of events' })
    .getByLabel('Products', { exact: true })
    .check()
  await editing.getByLabel('It is moved to the trash').uncheck()
  await editing.getByRole('textbox', { name: 'URL' }).fill(`${url}/2`)
  await editing.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: `${url}/2` }).waitFor()
  const [changed] = await client.webhooks()
  assert.deepEqual(
    [changed?.url, changed?.types],
    [`${url}/2`, ['asset.ready', 'product.updated', 'product.deleted', 'product.arranged']],
  )

  await page.getByRole('button', { name: 'Disable' }).click()
  await page.getByText('This webhook is disabled').waitFor()
  await page
    .getByRole('definition')
    .filter({ hasText: /^Disabled since / })
    .waitFor()
  assert.equal((await client.webhooks())[0]?.enabled, false)
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByText('This webhook is disabled').waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Replace secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Replace secret' }).click()
  const replaced = page.getByRole('dialog', { name: 'The new secret' })
  assert.match(await replaced.getByTestId('secret').innerText(), /^whsec_/)
  await replaced.getByRole('button', { name: 'I have saved it' }).click()
  await page.getByText('Previous secret').waitFor()

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click()
  await page.getByText('No webhooks yet').waitFor()
  assert.deepEqual(await client.webhooks(), [])
  assert.deepEqual(dialogs, [])
})
