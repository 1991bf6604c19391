import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@stowage/client/node'
import { missingForBrowser, openDashboard, skipUnlessCi } from './support/dashboard.ts'
import { HOSTILE, recordDialogs } from './support/products.ts'

const NO_BROWSER = await missingForBrowser()
const KEYS = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: 'an-admin-key-0123456789-abcdefghijk' }

test('a key is created with a scope, its secret is shown once, and it is revoked after a confirmation', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, service, context } = await openDashboard(t, KEYS)
  const dialogs = recordDialogs(page)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/settings')
  await page.getByText('No keys yet').waitFor()
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create key' })
  await dialog.getByLabel('Name').fill(HOSTILE)
  await dialog.getByRole('radio', { name: 'Read' }).check()
  await dialog.getByRole('button', { name: 'Create' }).click()
  const shown = page.getByRole('dialog', { name: 'Your new key' })
  await shown.getByText('It will not be shown again').waitFor()
  const secret = await shown.getByTestId('secret').innerText()
  await shown.getByRole('button', { name: 'Copy' }).click()
  await page.getByText('Copied the key').waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), secret)
  // Escape and a click outside do not close the dialog, because the secret would be lost.
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  assert.ok(await shown.isVisible())
  await shown.getByRole('button', { name: 'I have saved it' }).click()
  await shown.waitFor({ state: 'hidden' })
  const row = page.getByRole('row', { name: HOSTILE })
  await row.getByText('read', { exact: true }).waitFor()
  await row.getByRole('cell', { name: 'Never used', exact: true }).waitFor()
  const isInPage = () => page.evaluate(`document.body.innerHTML.includes('${secret}')`)
  assert.equal(await isInPage(), false)
  await page.getByRole('button', { name: 'Create key' }).click()
  assert.equal(await isInPage(), false)
  await page.keyboard.press('Escape')

  const own = createClient({ baseUrl: service.baseUrl, apiKey: secret })
  assert.equal((await own.account()).name, 'default')
  await row.getByRole('button', { name: `Revoke ${HOSTILE}` }).click()
  const confirmation = page.getByRole('dialog', { name: 'Revoke this key?' })
  await confirmation.getByText('requests with this key and its upload tokens').waitFor()
  await confirmation.getByRole('button', { name: 'Cancel' }).click()
  assert.equal((await client.keys())[0]?.revoked_at, null)
  await row.getByRole('button', { name: `Revoke ${HOSTILE}` }).click()
  await confirmation.getByRole('button', { name: 'Revoke key' }).click()
  await row.waitFor({ state: 'hidden' })
  await assert.rejects(own.account(), { code: 'unauthenticated' })
  await page.getByText('All keys are revoked or have expired.').waitFor()
  await page.getByRole('switch', { name: 'Show revoked and expired keys (1)' }).check()
  await row.getByText('Revoked').waitFor()
  assert.deepEqual(dialogs, [])
})

test('a key can expire: its day is chosen when it is created, and the page warns two weeks before', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t, KEYS)
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)
  await client.createKey({ name: 'agency', scope: 'read', expires_at: inDays(3).toISOString() })
  await page.goto('/settings')
  await page.getByText('1 key expires soon').waitFor()
  await page.getByRole('row', { name: 'agency' }).getByText('Expires').waitFor()
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create key' })
  await dialog.getByLabel('Name').fill('one year')
  await dialog.getByLabel('Expires').fill(inDays(365).toISOString().slice(0, 10))
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await page.getByRole('row', { name: 'one year' }).getByText('Expires').waitFor()
  await page.getByText('1 key expires soon').waitFor()
  const created = (await client.keys()).find(({ name }) => name === 'one year')
  assert.ok(
    Math.abs(Date.parse(created?.expires_at ?? '') - inDays(365).getTime()) < 2 * 86_400_000,
  )
})

test('the last manage key cannot be revoked, and the dialog explains why', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t, KEYS)
  await client.createKey({ name: 'only one', scope: 'manage' })
  await page.goto('/settings')
  await page.getByRole('button', { name: 'Revoke only one' }).click()
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await page.getByRole('alert').getByText('Could not revoke the key').waitFor()
  assert.equal((await client.keys())[0]?.revoked_at, null)
})

test('the settings of an open service show that it requires no key, and how to require keys', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page } = await openDashboard(t, { STOWAGE_PLAN_STORAGE: '5GB' })
  await page.goto('/settings')
  await page.getByText('This service requires no key').waitFor()
  await page.getByText('STOWAGE_AUTH=keys', { exact: true }).waitFor()
  await page.getByText('default, 5 GB').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Sign out' }).count(), 0)
})

test('the chosen color scheme survives a reload, and can follow the system', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page } = await openDashboard(t)
  await page.emulateMedia({ colorScheme: 'light' })
  const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme')
  await page.goto('/settings')
  // The label covers the radio button.
  await page.getByText('Dark', { exact: true }).click()
  assert.equal(await scheme(), 'dark')
  await page.reload()
  await page.getByRole('radio', { name: 'Dark' }).waitFor({ state: 'attached' })
  assert.equal(await scheme(), 'dark')
  await page.getByText('System').click()
  assert.equal(await scheme(), 'light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
})

test('times are shown in the reader’s time zone', async (t) => {
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

test('an upload token appears with its limits when it is created, and is revoked after a confirmation', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, service } = await openDashboard(t, KEYS)
  await page.goto('/settings')
  await page.getByText('No upload tokens are valid now').waitFor()
  const limits = { max_bytes: 50_000_000, max_files: 3, mime: ['image/*'] }
  const { token } = await client.createUploadToken({ ...limits, origin: 'https://shop.example' })
  const text = '3 files, 50 MB, image/*, on https://shop.example'
  await page.getByText(text, { exact: true }).waitFor()
  await page.getByRole('button', { name: `Revoke the token for ${text}` }).click()
  const confirmation = page.getByRole('dialog', { name: 'Revoke this upload token?' })
  await confirmation.getByRole('button', { name: 'Revoke token' }).click()
  await page.getByText('No upload tokens are valid now').waitFor()
  const visitor = createClient({ baseUrl: service.baseUrl, apiKey: token })
  await assert.rejects(async () => visitor.upload(new Blob(['a']), { name: 'a' }), {
    code: 'unauthenticated',
  })
})
