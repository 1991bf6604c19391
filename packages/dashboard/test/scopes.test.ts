import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { storeFiles, storeProducts } from './support/assets.ts'
import { assertAccessible } from './support/axe.ts'
import {
  aFolder,
  missingForBrowser,
  openDashboard,
  openPage,
  signIn,
  skipUnlessCi,
  until,
} from './support/dashboard.ts'
import { drop } from './support/uploads.ts'

const NO_BROWSER = await missingForBrowser()
const OVERLAY = 'text=Your key is read-only'
const KEYS = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: 'an-admin-key-0123456789-abcdefghijk' }
/** Controls for changes, which the pages do not show with a read key. */
const CHANGING =
  /^(Upload|More upload|Select|Rename|Replace|Restore|Empty|Delete|Detach|Import|Choose|Discard|Create)/

async function changingControlsOf(page: Page): Promise<string[]> {
  const shown = page.locator('main').locator('button, input, a').filter({ visible: true })
  const names = await shown.evaluateAll((all) =>
    all.map((it) => `${Reflect.get(it, 'ariaLabel') ?? Reflect.get(it, 'innerText')}`.trim()),
  )
  return names.filter((name) => CHANGING.test(name))
}

test('with a read key the pages offer no changes, and explain why', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, service } = await openDashboard(t, KEYS, { isSignedIn: false })
  const [asset] = await storeFiles(client, [{ name: 'a.txt' }])
  const [product] = await storeProducts(client, ['Poster'])
  await client.attach(asset?.id ?? '', { products: [product?.id ?? ''] })
  await client.replace(asset?.id ?? '', new Blob(['b']))
  const [deleted] = await storeFiles(client, [{ name: 'deleted.txt' }])
  await client.delete(deleted?.id ?? '')
  const response = await fetch(`${service.baseUrl}/api/v1/assets/signed`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${KEYS.STOWAGE_ADMIN_KEY}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ name: 'film.mov', size: 4 }),
  })
  const { id: uploadingId } = (await response.json()) as { id: string }
  const order = await client.createOrder({ label: 'For Ada', assets: [asset?.id ?? ''] })
  const { secret } = await client.createKey({ name: 'reader', scope: 'read' })
  await page.goto('/')
  await signIn(page, secret)
  await page.getByText('Read-only', { exact: true }).waitFor()
  const pages = {
    '/': 'a.txt',
    [`/assets/${asset?.id}`]: 'Version 1',
    [`/assets/${uploadingId}`]: 'is not complete',
    '/products': 'Poster',
    [`/products/${product?.id}`]: 'a.txt',
    '/products/import': 'Your key is read-only',
    '/trash': 'deleted.txt',
    [`/orders/${order.id}`]: 'For Ada',
    '/settings': 'Your key cannot manage API keys',
  }
  for (const [path, shown] of Object.entries(pages)) {
    await openPage(page, path)
    await page.locator('main').getByText(shown).first().waitFor()
    await page.getByText('Read-only', { exact: true }).waitFor()
    assert.deepEqual(await changingControlsOf(page), [], path)
    assert.equal(await page.getByRole('region', { name: 'Download page' }).count(), 0, path)
  }
  await page.locator('header [tabindex="0"]').focus()
  await page.getByRole('tooltip').getByText('Your key is read-only').waitFor()
  await assertAccessible(page, 'read-only')
})

test('with a write key the pages offer everything but managing keys and webhooks', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t, KEYS, { isSignedIn: false })
  await storeFiles(client, [{ name: 'a.txt' }])
  const { secret } = await client.createKey({ name: 'writer', scope: 'write' })
  await page.goto('/')
  await signIn(page, secret)
  await page.getByRole('link', { name: 'a.txt' }).waitFor()
  assert.deepEqual(await changingControlsOf(page), [
    'Upload',
    'More upload options',
    'Select all on this page',
    'Select a.txt',
    'Rename a.txt',
  ])
  const forbidden: string[] = []
  page.on('response', (response) => response.status() === 403 && forbidden.push(response.url()))
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByText('Your key cannot manage API keys').waitFor()
  await page.getByText('default, 1 TB').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Create key' }).count(), 0)
  assert.deepEqual(forbidden, [])
})

test('with a read key a dropped file is neither uploaded nor opened by the browser', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t, KEYS, { isSignedIn: false })
  const path = join(await aFolder(t), 'page.html')
  await writeFile(path, 'a page')
  const { secret } = await client.createKey({ name: 'reader', scope: 'read' })
  const forbidden: string[] = []
  page.on('response', (response) => response.status() === 403 && forbidden.push(response.url()))
  await page.goto('/')
  await signIn(page, secret)
  await page.getByText('No assets yet').waitFor()
  await drop(page, [path], 'Your key is read-only')
  await until('the file is dropped', async () => (await page.locator(OVERLAY).count()) === 0)
  // If the drop causes a request, the browser sends it before the requests of the next page.
  await page.getByRole('link', { name: 'Products' }).click()
  await page.getByText('No products yet').waitFor()
  assert.equal(await page.getByRole('region', { name: 'Uploads' }).count(), 0)
  assert.deepEqual(forbidden, [])
})
