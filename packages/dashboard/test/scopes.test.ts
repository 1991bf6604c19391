import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { storeFiles, storeProducts } from './support/assets.ts'
import { assertAccessible } from './support/axe.ts'
import { aFolder, openDashboard, skipUnlessCi, until, whyNoBrowser } from './support/dashboard.ts'
import { drop } from './support/drop.ts'
import { signIn } from './support/sign-in.ts'

const NO_BROWSER = await whyNoBrowser()
const VEIL = 'text=Your key may only read'
const KEYS = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: 'an-admin-key-0123456789-abcdefghijk' }
/** Whatever would end in a refusal. */
const CHANGING = /^(Upload|More ways|Select|Rename|Delete|Unlink|Import|Choose|Give it up|Create)/

async function buttonsOf(page: Page): Promise<string[]> {
  const shown = page.locator('main').locator('button, input, a').filter({ visible: true })
  const names = await shown.evaluateAll((all) =>
    all.map((it) => `${Reflect.get(it, 'ariaLabel') ?? Reflect.get(it, 'innerText')}`.trim()),
  )
  return names.filter((name) => CHANGING.test(name))
}

test('a key that may only read is offered nothing else, and told why', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, service } = await openDashboard(t, KEYS, { isSignedIn: false })
  const [asset] = await storeFiles(client, [{ name: 'a.txt' }])
  const [product] = await storeProducts(client, ['Poster'])
  await client.attach(asset?.id ?? '', { products: [product?.id ?? ''] })
  const asked = await fetch(`${service.baseUrl}/api/v1/assets/signed`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${KEYS.STOWAGE_ADMIN_KEY}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ name: 'film.mov', size: 4 }),
  })
  const { id: uploadingId } = (await asked.json()) as { id: string }
  const { secret } = await client.createKey({ name: 'reader', scope: 'read' })
  await page.goto('/')
  await signIn(page, secret)
  await page.getByText('Read only').waitFor()
  const pages = {
    '/': 'a.txt',
    [`/assets/${asset?.id}`]: 'Poster',
    [`/assets/${uploadingId}`]: 'This file is still being uploaded',
    '/products': 'Poster',
    [`/products/${product?.id}`]: 'a.txt',
    '/products/import': 'Your key may only read',
    '/settings': 'Your key may not see or make keys',
  }
  for (const [path, shown] of Object.entries(pages)) {
    await page.goto(path)
    await page.locator('main').getByText(shown).first().waitFor()
    await page.getByText('Read only').waitFor()
    assert.deepEqual(await buttonsOf(page), [], path)
  }
  await page.locator('header [tabindex="0"]').focus()
  await page.getByRole('tooltip').getByText('Your key may only read').waitFor()
  await assertAccessible(page, 'read only')
})

test('a key that may write is offered everything but keys', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t, KEYS, { isSignedIn: false })
  await storeFiles(client, [{ name: 'a.txt' }])
  const { secret } = await client.createKey({ name: 'writer', scope: 'write' })
  await page.goto('/')
  await signIn(page, secret)
  await page.getByRole('link', { name: 'a.txt' }).waitFor()
  assert.deepEqual(await buttonsOf(page), [
    'Upload',
    'More ways to add',
    'Select this page',
    'Select a.txt',
  ])
  const refused: string[] = []
  page.on('response', (answer) => answer.status() === 403 && refused.push(answer.url()))
  await page.goto('/settings')
  await page.getByText('Your key may not see or make keys').waitFor()
  await page.getByText('default, 1 TB').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Create a key' }).count(), 0)
  assert.deepEqual(refused, [])
})

test('a file dropped with a key that may only read is not sent, nor opened in place of the page', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t, KEYS, { isSignedIn: false })
  const path = join(await aFolder(t), 'page.html')
  await writeFile(path, 'a page')
  const { secret } = await client.createKey({ name: 'reader', scope: 'read' })
  const refused: string[] = []
  page.on('response', (answer) => answer.status() === 403 && refused.push(answer.url()))
  await page.goto('/')
  await signIn(page, secret)
  await page.getByText('Nothing is stored yet').waitFor()
  await drop(page, [path], 'Your key may only read')
  await until('it was dropped', async () => (await page.locator(VEIL).count()) === 0)
  // Whatever it would set off comes before this.
  await page.getByRole('link', { name: 'Products' }).click()
  await page.getByText('No products yet').waitFor()
  assert.equal(await page.getByRole('region', { name: 'Uploads' }).count(), 0)
  assert.deepEqual(refused, [])
})
