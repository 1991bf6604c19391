import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { openDashboard, skipUnlessCi, until, whyNoBrowser } from './support/dashboard.ts'
import { watchParts } from './support/parts.ts'
import { signIn } from './support/sign-in.ts'

const NO_BROWSER = await whyNoBrowser()
const ADMIN = 'an-admin-key-0123456789-abcdefghijk'
const KEYS = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: ADMIN }
const GUEST = { isSignedIn: false }

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

test('a wrong key is refused with a reason, and the right one leads to where people wanted to go', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page } = await openDashboard(t, KEYS, GUEST)
  await page.goto('/products?vendor=press')
  await heading(page, 'Sign in to Stowage').waitFor()
  await signIn(page, 'not-a-key')
  await page.getByText('The service does not know this key.').waitFor()
  await signIn(page, ` ${ADMIN} `)
  await heading(page, 'Products').waitFor()
  assert.match(page.url(), /\/products\?vendor=press$/)
})

test('a page that needs nothing of the service asks for the key too', async (t) => {
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
  // Signing in says nearly the same.
  const access = page.getByRole('region', { name: 'Access' })
  await access.getByText('It is forgotten when you close this tab.').waitFor()
  await page.reload()
  await heading(page, 'Settings').waitFor()
  const other = await context.newPage()
  await other.goto('/')
  await heading(other, 'Sign in to Stowage').waitFor()
  // A page that nobody looks at takes its time.
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

test('a key that is to be remembered is, in every tab, until people sign out', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context } = await openDashboard(t, KEYS, GUEST)
  await page.goto('/settings')
  await signIn(page, ADMIN, { remember: true })
  await page.getByText('It is remembered on this computer').waitFor()
  const other = await context.newPage()
  await other.goto('/products')
  await heading(other, 'Products').waitFor()
  // A page that nobody looks at takes its time.
  await page.bringToFront()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await heading(page, 'Sign in to Stowage').waitFor()
  await heading(other, 'Sign in to Stowage').waitFor()
  await other.reload()
  await heading(other, 'Sign in to Stowage').waitFor()
})

test('a key that is revoked while it is in use leads back to signing in, and says why', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t, KEYS, GUEST)
  const { id, secret } = await client.createKey({ name: 'mine', scope: 'manage' })
  await page.goto('/settings')
  await signIn(page, secret)
  await page.getByText('You use it now').waitFor()
  await client.createKey({ name: 'another', scope: 'manage' })
  await client.revokeKey(id)
  await page.getByRole('link', { name: 'Products' }).click()
  await page.getByText('The key you used is not valid any more.').waitFor()
})

test('who signs out while something is being uploaded is asked, and can go on with it later', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, service, client } = await openDashboard(t, KEYS, GUEST)
  const parts = await watchParts(context, service, 0)
  const file = { name: 'film.bin', mimeType: 'video/mp4', buffer: Buffer.alloc(1000) }
  await page.goto('/')
  await signIn(page, ADMIN)
  await page.getByLabel('Files to upload').setInputFiles(file)
  await until('it is on its way', () => parts.begun() === 1)
  await page.getByRole('link', { name: 'Settings' }).click()
  const signOut = page.getByRole('button', { name: 'Sign out' })
  const question = page.getByRole('dialog', { name: 'Sign out?' })
  await signOut.click()
  await question.getByText('Uploads are under way').waitFor()
  await question.getByRole('button', { name: 'Stay' }).click()
  await question.waitFor({ state: 'hidden' })
  await page.getByText('Uploading · 0 of 1 file done').waitFor()
  await signOut.click()
  await question.getByRole('button', { name: 'Sign out' }).click()
  await heading(page, 'Sign in to Stowage').waitFor()
  parts.release()
  await signIn(page, ADMIN)
  await page.getByText('Not finished before this page was loaded').waitFor()
  await page.getByRole('button', { name: 'Choose the file to go on' }).waitFor()
  assert.equal((await client.account()).reserved, 1000)
})
