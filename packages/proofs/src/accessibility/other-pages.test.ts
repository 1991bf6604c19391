import { test } from 'node:test'
import {
  assertAccessible,
  assertAccessibleAtAllWidths,
  DIALOG,
} from '@stowage/dashboard/test/support/axe'
import {
  type Dashboard,
  missingForBrowser,
  openDashboard,
  openPage,
  signIn,
  skipUnlessCi,
  until,
} from '@stowage/dashboard/test/support/dashboard'
import { aProduct, csvFile, LONG, RIGHT_TO_LEFT } from '@stowage/dashboard/test/support/products'
import type { Locator } from 'playwright-core'

const NO_BROWSER = await missingForBrowser()
const KEYS = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: 'an-admin-key-0123456789-abcdefghijk' }
const CSV = 'Product ID,Variant ID,Title\n1,1,Changed\n8,1,New\n9,1,\n2,1,Same\n'

test('axe finds no violations on the pages of products and their import', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, service } = await openDashboard(t, KEYS)
  const check = (what: string, within?: string) => assertAccessibleAtAllWidths(page, what, within)
  await page.goto('/products')
  await page.getByRole('heading', { name: 'Import your products' }).waitFor()
  await assertAccessible(page, 'no products')
  const { product, unfinished } = await fill({ client, service })
  await openPage(page, '/products')
  await page.getByRole('link', { name: 'Sample pack' }).waitFor()
  await check('products')
  await page.getByRole('button', { name: 'Delete Sample pack' }).click()
  await page.getByRole('dialog').waitFor()
  await check('deleting a product', DIALOG)
  await openPage(page, `/products/${product?.id}`)
  await page.getByRole('heading', { name: 'Details' }).waitFor()
  await check('a product')
  await page.getByRole('button', { name: 'Delete variant WAV' }).click()
  await page.getByRole('dialog').getByText('attached assets').waitFor()
  await check('deleting a variant', DIALOG)
  await openPage(page, '/products/import')
  await page.getByRole('button', { name: 'Choose file' }).waitFor()
  await check('import')
  await page.getByLabel('Product file').setInputFiles(csvFile(CSV))
  for (const tab of [/^New/, /^Changed/, /^Unchanged/, /^Problems/]) {
    await page.getByRole('tab', { name: tab }).click()
    await check(`preview of ${tab}`)
  }
  await page.getByRole('button', { name: /^Import/ }).click()
  await page.getByText('Not imported').waitFor()
  await assertAccessible(page, 'an import with problems')
  await openPage(page, `/products/${unfinished}`)
  await page.getByText('Product not found').waitFor()
  await assertAccessible(page, 'a product that does not exist')
})

test('axe finds no violations on uploads, storage, settings, sign-in and error pages', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, context, service } = await openDashboard(t, KEYS)
  const check = (what: string, within?: string) => assertAccessibleAtAllWidths(page, what, within)
  await page.goto('/uploads')
  await page.getByText('No unfinished uploads').waitFor()
  await assertAccessible(page, 'no unfinished uploads')
  const { unfinished } = await fill({ client, service })
  await openPage(page, '/uploads')
  await page.getByRole('button', { name: `Discard ${LONG} in course` }).waitFor()
  await check('unfinished uploads')
  await page.getByRole('button', { name: `Discard ${LONG} in course` }).click()
  await page.getByRole('dialog').waitFor()
  await check('discarding an upload', DIALOG)
  await openPage(page, `/assets/${unfinished}`)
  await page.getByRole('button', { name: 'Choose file to resume' }).waitFor()
  await check('the page of an unfinished upload')
  await openPage(page, '/storage')
  await page.getByRole('region', { name: 'Largest files' }).getByText('b.png').waitFor()
  await page.getByText('Archives').waitFor()
  await check('storage')
  await openPage(page, '/settings')
  await page.getByRole('switch').check()
  await page.getByText('You are signed in').waitFor()
  await check('settings')
  await page.getByRole('button', { name: 'Revoke one' }).click()
  await page.getByRole('dialog').waitFor()
  await check('revoking a key', DIALOG)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('a key')
  await check('creating a key', DIALOG)
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByTestId('secret').waitFor()
  await check('a new key', DIALOG)
  await context.clearCookies()
  await page.goto('/')
  await signIn(page, 'wrong')
  await page.getByText('Invalid API key.').waitFor()
  await assertAccessible(page, 'signing in')
  await page.goto('/setings')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await assertAccessible(page, 'a page that does not exist')
})

/** Stores products, files that are attached to one of them, an unfinished upload, and keys. */
async function fill({ client, service }: Pick<Dashboard, 'client' | 'service'>) {
  const [product] = await client.putProducts([
    aProduct({ variant_name: 'WAV', sku: 'S', vendor: RIGHT_TO_LEFT, tags: ['a', 'b', 'c', LONG] }),
    aProduct({ variant_id: 2, variant_name: 'MP3' }),
    aProduct({ product_id: 2, name: 'Same' }),
    aProduct({ product_id: 3, name: RIGHT_TO_LEFT }),
  ])
  for (const [name, mime] of [
    ['a.zip', 'application/zip'],
    ['b.png', 'image/png'],
    [LONG, 'video/mp4'],
  ] as const) {
    const { id } = await client.upload(new Uint8Array(100), { name, mime })
    await client.attach(id, { product_ids: [1] })
  }
  const signed = await fetch(`${service.baseUrl}/api/v1/assets/signed`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${KEYS.STOWAGE_ADMIN_KEY}`,
    },
    body: JSON.stringify({ name: LONG, size: 20_000_000, mime: 'text/plain', path: 'course' }),
  })
  const { id: unfinished } = (await signed.json()) as { id: string }
  await client.createKey({ name: 'one', scope: 'read' })
  await client.revokeKey((await client.createKey({ name: 'old', scope: 'read' })).id)
  return { product, unfinished }
}

test('the outlines of switches, radio buttons and checkboxes that are off have the contrast of WCAG', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, context, service } = await openDashboard(t, KEYS)
  await fill({ client, service })
  const assertVisible = async (control: Locator, property = 'border-top-color') => {
    await control.waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      // Nothing but the color scheme changes, so it waits for the colors of the scheme.
      await until(
        `the outline of ${control} can be seen in the ${colorScheme} scheme`,
        async () => {
          const background = await styleOf(page.locator('body'), 'background-color')
          return contrast(await styleOf(control, property), background) >= 3
        },
      )
    }
  }
  await page.goto('/settings')
  await assertVisible(page.locator('.mantine-Switch-track'), 'box-shadow')
  await page.getByRole('button', { name: 'Create key' }).click()
  await assertVisible(page.getByRole('radio', { name: 'Read' }))
  await context.clearCookies()
  await page.goto('/')
  await assertVisible(page.getByRole('checkbox'))
})

interface Styled {
  computedStyleMap(): Map<string, { toString(): string }>
}

/** The value of a CSS property, such as `rgb(73, 80, 87)`. */
function styleOf(control: Locator, property: string): Promise<string> {
  return control.evaluate(
    (it, name) => `${(it as unknown as Styled).computedStyleMap().get(name)}`,
    property,
  )
}

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

/** Of a CSS color such as `rgb(73, 80, 87)`. */
function luminance(color: string): number {
  const [red = Number.NaN, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
    const share = Number(part) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
