import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccessible } from './support/axe.ts'
import { missingForBrowser, openDashboard, skipUnlessCi } from './support/dashboard.ts'

const NO_BROWSER = await missingForBrowser()

test('the dashboard links to the API reference, and the reference links back', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page } = await openDashboard(t)
  await page.goto('/')
  await page.getByRole('link', { name: 'API reference' }).click()
  await page.getByRole('heading', { name: 'API reference' }).waitFor()
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
  await page.getByRole('heading', { name: 'Assets' }).waitFor()
})

/** Together, these calls show everything that the section of a call can have, except query parameters. */
const CALLS = ['requestUpload', 'completeUpload', 'downloadAsset', 'readiness']

test('the API reference is accessible, fits a phone and loads nothing from outside', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const viewport = { width: 390, height: 844 }
  const { page, service } = await openDashboard(t)
  await page.setViewportSize(viewport)
  const outside: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(service.baseUrl)) outside.push(request.url())
  })
  await page.goto('/docs')
  for (const id of ['menu', ...CALLS]) await page.locator(`#${id} > summary`).click()
  await assertAccessible(page, 'the reference')
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), viewport.width)
  assert.deepEqual(outside, [])
})

test('a link to an endpoint in the API reference opens it', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page } = await openDashboard(t)
  await page.goto('/docs#putProducts')
  await page.locator('#putProducts[open]').waitFor()
  await page.locator('#putProducts > summary').click()
  await page.locator('#putProducts:not([open])').waitFor()
  // The hash of the URL does not change.
  await page.getByRole('link', { name: 'Add or update products' }).click()
  await page.locator('#putProducts[open]').waitFor()
})

test('the filter of the API reference finds endpoints by any of their words', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page } = await openDashboard(t)
  await page.goto('/docs')
  await page.getByRole('searchbox', { name: 'Filter calls' }).fill('PUT sku')
  await page
    .getByRole('status')
    .filter({ hasText: /^\d+ of \d+ calls$/ })
    .waitFor()
  await page.locator('#putProducts').waitFor()
  await page.locator('#cancelUpload').waitFor({ state: 'hidden' })
  await page.getByRole('link', { name: 'Cancel an upload' }).waitFor({ state: 'hidden' })
  await page.getByRole('searchbox').fill('')
  await page.locator('#cancelUpload').waitFor()
})

test('an example of the API reference can be copied', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, service } = await openDashboard(t)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/docs#listKeys')
  await page.locator('#listKeys button.copy').first().click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  const copied = await page.evaluate('navigator.clipboard.readText()')
  assert.equal(copied, `curl "${service.baseUrl}/api/v1/keys"`)
})

test('the API reference uses the color scheme of the dashboard', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page } = await openDashboard(t)
  await page.emulateMedia({ colorScheme: 'light' })
  const background = () =>
    page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
  await page.goto('/docs')
  assert.equal(await background(), 'rgb(255, 255, 255)')
  await page.goto('/')
  await page.getByRole('button', { name: 'Switch to dark mode' }).click()
  await page.goto('/docs')
  assert.equal(await background(), 'rgb(31, 31, 31)')
})
