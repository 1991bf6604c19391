import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  missingForBrowser,
  openDashboard,
  signIn,
  skipUnlessCi,
  until,
} from './support/dashboard.ts'
import { watchParts } from './support/uploads.ts'

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

test('signing in and out applies to all tabs, and no script can read the key or the session', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, service } = await openDashboard(t, KEYS, GUEST)
  const other = await context.newPage()
  await other.goto('/products')
  await heading(other, 'Sign in to Stowage').waitFor()
  await page.goto('/settings')
  const form = page.locator('form')
  await form.locator('[autocomplete=current-password]').waitFor()
  assert.equal(await form.locator('[autocomplete=username]').count(), 1)
  await signIn(page, ADMIN)
  const access = page.getByRole('region', { name: 'Access' })
  await access.getByText('You are signed in with the key STOWAGE_ADMIN_KEY').waitFor()
  await heading(other, 'Products').waitFor()
  await other.reload()
  await heading(other, 'Products').waitFor()
  const [cookie, ...more] = await context.cookies()
  assert.deepEqual(
    [cookie?.httpOnly, cookie?.sameSite, cookie?.expires, more.length],
    [true, 'Strict', -1, 0],
  )
  const readable = await page.evaluate<string>(
    'JSON.stringify([document.cookie, { ...sessionStorage }, { ...localStorage }])',
  )
  assert.ok(!readable.includes(ADMIN) && !readable.includes(cookie?.value ?? ''), readable)

  // Browsers slow down tabs in the background.
  await page.bringToFront()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await heading(page, 'Sign in to Stowage').waitFor()
  await heading(other, 'Sign in to Stowage').waitFor()
  await other.reload()
  await heading(other, 'Sign in to Stowage').waitFor()
  assert.deepEqual(await context.cookies(), [])
  const headers = { Cookie: `${cookie?.name}=${cookie?.value}` }
  const copied = await fetch(`${service.baseUrl}/api/v1/account`, { headers })
  assert.equal(copied.status, 401)
})

test('a remembered session outlasts the browser', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context } = await openDashboard(t, KEYS, GUEST)
  await page.goto('/')
  await signIn(page, ADMIN, { remember: true })
  await heading(page, 'Assets').waitFor()
  const [cookie] = await context.cookies()
  const days = ((cookie?.expires ?? 0) * 1000 - Date.now()) / 86_400_000
  assert.ok(days > 29.9 && days < 30.1, `${days}`)
})

test('after the key in use is revoked, the sign-in form opens and shows that the session has ended', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t, KEYS, GUEST)
  const { id, secret } = await client.createKey({ name: 'mine', scope: 'manage' })
  await page.goto('/settings')
  await signIn(page, secret)
  await page.getByText('Current key').waitFor()
  await client.createKey({ name: 'another', scope: 'manage' })
  await client.revokeKey(id)
  // The page notices this without a click.
  await page.getByText('Your session has ended.').waitFor()
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
