import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccessible } from './support/axe.ts'
import { missingForBrowser, openDashboard, skipUnlessCi, until } from './support/dashboard.ts'
import { manyProducts } from './support/products.ts'
import { aFile, watchParts } from './support/uploads.ts'

const NO_BROWSER = await missingForBrowser()

test('the color scheme follows the system until the user chooses one, and then stays', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page } = await openDashboard(t)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto('/')
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
  await page.getByRole('button', { name: 'Switch to light mode' }).click()
  await page.locator('html[data-mantine-color-scheme=light]').waitFor()
  await page.reload()
  await page.locator('html[data-mantine-color-scheme=light]').waitFor()
  await page.getByRole('button', { name: 'Switch to dark mode' }).waitFor()
})

test('on a phone a link in the menu opens its page and closes the menu', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page } = await openDashboard(t)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/')
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('link', { name: 'Products' }).click()
  await page.getByRole('heading', { name: 'Products', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Open menu' }).waitFor()
})

test('a new page starts at its top, and going back restores the scroll position', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await page.setViewportSize({ width: 900, height: 500 })
  await client.putProducts(manyProducts(60))
  const top = () => page.evaluate<number>('scrollY')
  await page.goto('/products')
  const product = page.getByRole('link', { name: 'Product 30', exact: true })
  await product.scrollIntoViewIfNeeded()
  const before = await top()
  assert.ok(before > 500)
  await product.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Product 30' }).waitFor()
  await until('the page starts at its top', async () => (await top()) === 0)
  await page.locator('main:focus').waitFor()
  await page.goBack()
  await until('the scroll position is restored', async () => (await top()) === before)
  await page.getByRole('link', { name: 'Next page' }).click()
  await page.getByText('51 to 60 of 60').waitFor()
  await until('the page starts at its top', async () => (await top()) === 0)
})

test('a page that cannot be loaded shows an error, and uploads continue', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, service } = await openDashboard(t)
  const parts = await watchParts(context, service, 0)
  await page.route('**/app/pages-*', (route) => route.abort())
  await page.goto('/')
  const file = { name: 'film.bin', mimeType: 'video/mp4', buffer: Buffer.alloc(1000) }
  await page.getByLabel('Files to upload').setInputFiles(file)
  await until('the upload has started', () => parts.started() === 1)
  await page.getByRole('link', { name: 'Storage' }).click()
  await page.getByText('Could not open this page').waitFor()
  parts.release()
  await page.getByText('1 file uploaded').first().waitFor()
  await page.getByRole('link', { name: 'Assets', exact: true }).click()
  await page.getByRole('heading', { name: 'Assets', level: 1 }).waitFor()
  await page.unroute('**/app/pages-*')
  await page.goBack()
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('heading', { name: 'Storage', level: 1 }).waitFor()
})

test('once all uploads are done, the tray shrinks, and new uploads open it again', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, service } = await openDashboard(t)
  const tray = page.getByRole('region', { name: 'Uploads' })
  const upload = (name: string) =>
    page
      .getByLabel('Files to upload')
      .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })
  await page.goto('/')
  await upload('a.txt')
  await tray.getByText('1 file uploaded').first().waitFor()
  await tray.getByRole('link', { name: 'a.txt' }).waitFor({ state: 'hidden' })
  // With a link, because the file belongs to no product yet.
  await tray.getByRole('link', { name: 'Attach to products' }).waitFor()
  await until('the tray is small', async () => {
    const box = await tray.boundingBox()
    return box !== null && box.width < 300 && box.height < 90
  })
  await assertAccessible(page, 'the small tray')
  await tray.getByRole('button', { name: 'Show files' }).click()
  await tray.getByRole('link', { name: 'a.txt' }).click()
  await page.getByRole('heading', { name: 'a.txt' }).waitFor()
  await tray.getByRole('button', { name: 'Show files' }).waitFor()

  const parts = await watchParts(context, service, 0)
  await page.getByRole('link', { name: 'Assets', exact: true }).click()
  await upload('b.txt')
  await tray.getByRole('button', { name: 'Pause: b.txt' }).waitFor()
  // While files are uploaded, the tray stays open on every page.
  await page.getByRole('link', { name: 'Storage' }).click()
  await page.getByRole('heading', { name: 'Storage', level: 1 }).waitFor()
  // It does not close under the pointer.
  await tray.getByRole('button', { name: 'Pause: b.txt' }).hover()
  parts.release()
  await tray.getByRole('link', { name: 'b.txt' }).waitFor()
  await page.mouse.move(5, 5)
  await tray.getByRole('button', { name: 'Show files' }).waitFor()
})

test('of a single file, the tray shows the progress once, and the title of the tab shows it, too', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, service } = await openDashboard(t, { STOWAGE_CHUNK_SIZE: '1000000' })
  const parts = await watchParts(context, service, 1)
  await page.goto('/')
  await page.getByLabel('Files to upload').setInputFiles(await aFile(t, 'film.bin', 4_000_000))
  const tray = page.getByRole('region', { name: 'Uploads' })
  await tray.getByText(/^1 MB of 4 MB/).waitFor()
  assert.equal(await tray.getByRole('progressbar').count(), 1)
  await until('the title has the progress', async () =>
    (await page.title()).startsWith('25% · Assets'),
  )
  await tray.getByRole('button', { name: 'Hide files' }).click()
  await tray.getByRole('progressbar', { name: 'Progress of all uploads' }).waitFor()
  parts.release()
  await tray.getByText('1 file uploaded').first().waitFor()
  assert.equal(await page.title(), 'Assets · Stowage')
})

test('an offline browser can use a service on the same computer', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await client.putProducts(manyProducts(1))
  await page.goto('/')
  await page.getByText('Drop your first file here').waitFor()
  await page.evaluate(`
    Object.defineProperty(navigator, 'onLine', { value: false })
    dispatchEvent(new Event('offline'))
  `)
  await page.getByText('Offline', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Products' }).click()
  await page.getByRole('link', { name: 'Product 1' }).waitFor()
})
