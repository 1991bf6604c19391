import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { missingForBrowser, openDashboard, skipUnlessCi, until } from './support/dashboard.ts'
import { watchParts } from './support/parts.ts'
import { signIn } from './support/sign-in.ts'

const NO_BROWSER = await missingForBrowser()
const ADMIN = 'an-admin-key-0123456789-abcdefghijk'
const KEYS = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: ADMIN }
const GUEST = { isSignedIn: false }

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

test('an invalid key is rejected with a reason, and a valid one opens the requested page', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page } = await openDashboard(t, KEYS, GUEST)
  await page.goto('/products?vendor=press')
  await heading(page, 'Sign in to Stowage').waitFor()
  await signIn(page, 'not-a-key')
  await page.getByText('Invalid API key.').waitFor()
  await signIn(page, ` ${ADMIN} `)
  await heading(page, 'Products').waitFor()
  assert.match(page.url(), /\/products\?vendor=press$/)
})

test('a page that makes no requests requires a key too', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page } = await openDashboard(t, KEYS, GUEST)
  await page.goto('/products/import')
  await heading(page, 'Sign in to Stowage').waitFor()
})

test('a key is kept for the tab only, until people sign out', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context } = await openDashboard(t, KEYS, GUEST)
  await page.goto('/settings')
  await signIn(page, ADMIN)
  // The sign-in form contains a similar sentence.
  const access = page.getByRole('region', { name: 'Access' })
  await access.getByText('It is forgotten when you close this tab.').waitFor()
  await page.reload()
  await heading(page, 'Settings').waitFor()
  const other = await context.newPage()
  await other.goto('/')
  await heading(other, 'Sign in to Stowage').waitFor()
  // Browsers slow down tabs in the background.
  await page.bringToFront()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await heading(page, 'Sign in to Stowage').waitFor()
  await page.reload()
  await heading(page, 'Sign in to Stowage').waitFor()
  const kept = await page.evaluate<string>(
    'JSON.stringify([{ ...sessionStorage }, { ...localStorage }])',
  )
  assert.ok(!kept.includes(ADMIN), kept)
})

test('a remembered key is available in every tab, until people sign out', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context } = await openDashboard(t, KEYS, GUEST)
  await page.goto('/settings')
  await signIn(page, ADMIN, { remember: true })
  await page.getByText('This computer remembers it').waitFor()
  const other = await context.newPage()
  await other.goto('/products')
  await heading(other, 'Products').waitFor()
  // Browsers slow down tabs in the background.
  await page.bringToFront()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await heading(page, 'Sign in to Stowage').waitFor()
  await heading(other, 'Sign in to Stowage').waitFor()
  await other.reload()
  await heading(other, 'Sign in to Stowage').waitFor()
})

test('after the key in use is revoked, the sign-in form opens and shows the reason', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t, KEYS, GUEST)
  const { id, secret } = await client.createKey({ name: 'mine', scope: 'manage' })
  await page.goto('/settings')
  await signIn(page, secret)
  await page.getByText('Current key').waitFor()
  await client.createKey({ name: 'another', scope: 'manage' })
  await client.revokeKey(id)
  await page.getByRole('link', { name: 'Products' }).click()
  await page.getByText('Your key is no longer valid.').waitFor()
})

test('signing out during an upload asks for confirmation, and the upload can be resumed later', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, service, client } = await openDashboard(t, KEYS, GUEST)
  const parts = await watchParts(context, service, 0)
  const file = { name: 'film.bin', mimeType: 'video/mp4', buffer: Buffer.alloc(1000) }
  await page.goto('/')
  await signIn(page, ADMIN)
  await page.getByLabel('Files to upload').setInputFiles(file)
  await until('the upload has started', () => parts.started() === 1)
  await page.getByRole('link', { name: 'Settings' }).click()
  const signOut = page.getByRole('button', { name: 'Sign out' })
  const confirmation = page.getByRole('dialog', { name: 'Sign out?' })
  await signOut.click()
  await confirmation.getByText('Uploads are in progress').waitFor()
  await confirmation.getByRole('button', { name: 'Stay signed in' }).click()
  await confirmation.waitFor({ state: 'hidden' })
  await page.getByText('Uploading · 0 of 1 file done').waitFor()
  await signOut.click()
  await confirmation.getByRole('button', { name: 'Sign out' }).click()
  await heading(page, 'Sign in to Stowage').waitFor()
  parts.release()
  await signIn(page, ADMIN)
  await page.getByText('Unfinished uploads').waitFor()
  await page.getByRole('button', { name: 'Choose file to resume' }).waitFor()
  assert.equal((await client.account()).reserved, 1000)
})
