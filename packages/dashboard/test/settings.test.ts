import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@stowage/client/node'
import { openDashboard, skipUnlessCi, whyNoBrowser } from './support/dashboard.ts'
import { HOSTILE, refuseDialogs } from './support/products.ts'

const NO_BROWSER = await whyNoBrowser()
const KEYS = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: 'an-admin-key-0123456789-abcdefghijk' }

test('a key is made with its scope, its secret shown once, and revoked after people were asked', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, service, context } = await openDashboard(t, KEYS)
  const dialogs = refuseDialogs(page)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/settings')
  await page.getByText('There is no key yet').waitFor()
  await page.getByRole('button', { name: 'Create a key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create a key' })
  await dialog.getByLabel('Name').fill(HOSTILE)
  await dialog.getByRole('radio', { name: 'Read' }).check()
  await dialog.getByRole('button', { name: 'Create' }).click()
  const shown = page.getByRole('dialog', { name: 'Your new key' })
  await shown.getByText('it is never shown again').waitFor()
  const secret = await shown.getByTestId('secret').innerText()
  await shown.getByRole('button', { name: 'Copy' }).click()
  await page.getByText('Key copied').waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), secret)
  // Nothing but its own button closes it: the secret would be lost.
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  assert.ok(await shown.isVisible())
  await shown.getByRole('button', { name: 'I have kept it' }).click()
  await shown.waitFor({ state: 'hidden' })
  const row = page.getByRole('row', { name: HOSTILE })
  await row.getByText('read', { exact: true }).waitFor()
  await row.getByRole('cell', { name: 'Never used', exact: true }).waitFor()
  const isThere = () => page.evaluate(`document.body.innerHTML.includes('${secret}')`)
  assert.equal(await isThere(), false)
  await page.getByRole('button', { name: 'Create a key' }).click()
  assert.equal(await isThere(), false)
  await page.keyboard.press('Escape')

  const own = createClient({ baseUrl: service.baseUrl, apiKey: secret })
  assert.equal((await own.account()).name, 'default')
  await row.getByRole('button', { name: `Revoke ${HOSTILE}` }).click()
  const question = page.getByRole('dialog', { name: 'Revoke this key?' })
  await question.getByRole('button', { name: 'Keep' }).click()
  assert.equal((await client.keys())[0]?.revoked_at, null)
  await row.getByRole('button', { name: `Revoke ${HOSTILE}` }).click()
  await question.getByRole('button', { name: 'Revoke this key' }).click()
  await row.waitFor({ state: 'hidden' })
  await assert.rejects(own.account(), { code: 'unauthenticated' })
  await page.getByRole('switch', { name: 'Show revoked keys (1)' }).check()
  await row.getByText('Revoked').waitFor()
  assert.deepEqual(dialogs, [])
})

test('the last manage key stays, and one is told why', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t, KEYS)
  await client.createKey({ name: 'only one', scope: 'manage' })
  await page.goto('/settings')
  await page.getByRole('button', { name: 'Revoke only one' }).click()
  await page.getByRole('button', { name: 'Revoke this key' }).click()
  await page.getByRole('alert').getByText('It could not be revoked').waitFor()
  assert.equal((await client.keys())[0]?.revoked_at, null)
})

test('an open service says that it needs no key, and how to ask for keys', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page } = await openDashboard(t, { STOWAGE_PLAN_STORAGE: '5GB' })
  await page.goto('/settings')
  await page.getByText('This service is open').waitFor()
  await page.getByText('STOWAGE_AUTH=keys').waitFor()
  await page.getByText('default, 5 GB').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Sign out' }).count(), 0)
})

test('the colours are as people choose, also after a reload, or as the system has them', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page } = await openDashboard(t, {}, { browser: { colorScheme: 'light' } })
  const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme')
  await page.goto('/settings')
  // The control itself lies below its label.
  await page.getByText('Dark', { exact: true }).click()
  assert.equal(await scheme(), 'dark')
  await page.reload()
  await page.getByRole('radio', { name: 'Dark' }).waitFor({ state: 'attached' })
  assert.equal(await scheme(), 'dark')
  await page.getByText('As the system').click()
  assert.equal(await scheme(), 'light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
})

test('times are in the reader’s zone', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const browser = { timezoneId: 'Pacific/Kiritimati', locale: 'en-GB' }
  const { page, client } = await openDashboard(t, KEYS, { browser })
  const { created_at } = await client.createKey({ name: 'one', scope: 'read' })
  await page.goto('/settings')
  const there = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeZone: 'Pacific/Kiritimati',
  })
  await page
    .getByRole('row', { name: 'one' })
    .getByText(there.format(new Date(created_at)))
    .waitFor()
})
