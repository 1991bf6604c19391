import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import {
  aFolder,
  missingForBrowser,
  openDashboard,
  skipUnlessCi,
  until,
} from './support/dashboard.ts'
import { aProduct, csvFile, HOSTILE, recordDialogs } from './support/products.ts'
import { drop } from './support/uploads.ts'

const NO_BROWSER = await missingForBrowser()
const HEADER = 'Product ID,Variant ID,Title,SKU,Vendor,Tags\n'

async function choose(page: Page, text: string, name?: string): Promise<void> {
  await page.goto('/products/import')
  await page.getByRole('heading', { name: 'Import products' }).waitFor()
  await page.getByLabel('Product file').setInputFiles(csvFile(text, name))
}

/** The text of every row in the table of a tab. */
async function rows(page: Page, tab: RegExp): Promise<string[]> {
  await page.getByRole('tab', { name: tab }).click()
  const found = await page.getByRole('tabpanel').locator('tbody tr').allInnerTexts()
  return found.map((text) => text.replaceAll(/\s+/g, ' ').trim())
}

/** Records the number of products in every request that changes them. */
function watchWrites(page: Page): number[] {
  const sizes: number[] = []
  page.on('request', (request) => {
    if (request.method() === 'PUT') sizes.push(request.postDataJSON().products.length)
  })
  return sizes
}

test('an import shows new, changed, unchanged and invalid products, and then sends only the differences', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const dialogs = recordDialogs(page)
  const writes = watchWrites(page)
  const details = { sku: 'S', vendor: 'Press', tags: ['a'] }
  await client.putProducts([
    aProduct({ ...details, product_id: 1, name: 'Same' }),
    aProduct({ ...details, product_id: 2, name: 'Other vendor' }),
    aProduct({ ...details, product_id: 9, name: 'Not in the file' }),
  ])
  const text = [
    '1,1,Same,S,Press,a',
    '2,1,"Other vendor",S,"New\nPress",a',
    '2,1,Other vendor,S,New Press,',
    `3,1,${HOSTILE},${HOSTILE},V,`,
    'x,1,No id,,,',
    '4,1,,,,',
  ].join('\r\n')
  await choose(page, `\uFEFFID,Variant ID,product title,SKU,Vendor,Tags\n${text}`)
  assert.deepEqual(await rows(page, /^Problems/), [
    '3 Vendor must not have line breaks or other control characters (found New Press)',
    '7 ID must be a whole number from 0 to 9007199254740991 (found x)',
    '8 product title must not be empty',
  ])
  assert.deepEqual(await rows(page, /^Changed/), [
    '5 Other vendor Vendor: Press → New Press Tags: a → empty',
  ])
  assert.deepEqual(await rows(page, /^New/), [`6 ${HOSTILE} ${HOSTILE} V`])
  assert.deepEqual(await rows(page, /^Unchanged/), ['2 Same S Press a'])
  await page.getByText('3 lines cannot be imported').waitFor()
  assert.deepEqual(writes, [])
  await page.getByRole('button', { name: 'Import 2 products' }).click()
  await page.getByRole('heading', { name: '2 products imported, 3 lines skipped' }).waitFor()
  await page.getByText('1 added, 1 changed, 1 unchanged.').waitFor()
  await page.getByRole('row', { name: '7 ID must be a whole number' }).waitFor()
  assert.deepEqual(writes, [2])
  const all = (await client.products().page(1)).data
  const stored = all.map(({ product_id, name, vendor }) => [product_id, name, vendor])
  assert.deepEqual(stored, [
    [3, HOSTILE, 'V'],
    [9, 'Not in the file', 'Press'],
    [2, 'Other vendor', 'New Press'],
    [1, 'Same', 'Press'],
  ])
  await page.getByRole('link', { name: 'View products' }).click()
  await page.getByRole('link', { name: HOSTILE }).waitFor()
  assert.deepEqual(dialogs, [])
})

test('a missing column leaves values unchanged in the preview and the import, and an empty cell clears them', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const details = { variant_name: 'WAV', sku: 'S', vendor: 'Press', tags: ['a'] }
  const stored = [1, 2].map((product_id) => aProduct({ ...details, product_id, name: 'Pack' }))
  await client.putProducts(stored)
  await choose(page, 'Product ID,Variant ID,Title,SKU\n1,1,Renamed,\n2,1,Pack,S')
  assert.deepEqual(await rows(page, /^Changed/), [
    '2 Renamed WAV Title: Pack → Renamed SKU: S → empty',
  ])
  assert.deepEqual(await rows(page, /^Unchanged/), ['3 Pack WAV S Press a'])
  await page.getByRole('button', { name: 'Import 1 product' }).click()
  await page.getByRole('heading', { name: '1 product imported' }).waitFor()
  const { data } = await client.products({ product_id: 1 }).page(1)
  const [{ id: _, ...changed } = { id: '' }] = data
  assert.deepEqual(changed, { ...stored[0], name: 'Renamed', sku: '' })
})

test('Shopify’s CSV export is imported without IDs, and its products get them from products.json', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const csv = 'Handle,Title,Vendor,Tags,Option1 Value,Variant SKU\npack,Pack,Sounds,x,No. 1,P1\n'
  await choose(page, csv)
  await page.getByRole('button', { name: 'Import 1 product' }).click()
  await page.getByRole('heading', { name: '1 product imported' }).waitFor()
  const [imported] = (await client.products({ sku: 'P1' }).page(1)).data
  assert.ok(imported)
  await page.goto(`/products/${imported.id}`)
  await page.getByText('Not known yet').first().waitFor()
  await choose(page, csv)
  await page.getByText('Nothing to import').waitFor()
  const variants = [1, 2].map((id) => ({ id, title: `No. ${id}`, sku: `P${id}` }))
  const shop = { products: [{ id: 7, title: 'Pack', vendor: 'Sounds', tags: ['x'], variants }] }
  await choose(page, JSON.stringify(shop), 'products.json')
  await page.getByRole('button', { name: 'Import 1 product (2 variants)' }).click()
  await page.getByRole('heading', { name: '1 product (2 variants) imported' }).waitFor()
  await page.getByText('2 added').waitFor()
  const { data } = await client.products({ product_id: 7 }).page(1)
  assert.equal(data.length, 2)
  assert.equal(data.find(({ sku }) => sku === 'P1')?.id, imported.id)
  await choose(page, JSON.stringify(shop), 'products.json')
  await page.getByText('Nothing to import').waitFor()
})

test('a file that is too large is rejected, and another one can be chosen', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page } = await openDashboard(t)
  await page.goto('/products/import')
  await page.getByLabel('Product file').waitFor({ state: 'attached' })
  await page.evaluate(CHOOSE_LARGE)
  await page
    .getByText('The file is too large (201 MB). Choose a product file of at most 200 MB.')
    .waitFor()
  await page.getByText('video.mov').waitFor()
  await page.getByRole('button', { name: 'Choose another file' }).click()
  await page.getByLabel('Product file').setInputFiles(csvFile(`${HEADER}1,1,Chosen,,,`))
  assert.deepEqual(await rows(page, /^New/), ['2 Chosen'])
  assert.equal(await page.getByText('video.mov').count(), 0)
})

/** Repeats one small blob, so that the file takes little memory. */
const CHOOSE_LARGE = `(() => {
  const input = document.querySelector('[aria-label="Product file"]')
  const piece = new Blob([new Uint8Array(1_000_000)])
  const transfer = new DataTransfer()
  transfer.items.add(new File(Array(201).fill(piece), 'video.mov'))
  input.files = transfer.files
  input.dispatchEvent(new Event('change', { bubbles: true }))
})()`

test('a file dropped anywhere on the import page is read, and not uploaded', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const overlay = 'Drop a CSV or JSON file to import products'
  const folder = await aFolder(t)
  const paths = ['first.csv', 'second.csv', 'third.csv'].map((name) => join(folder, name))
  for (const path of paths) {
    await writeFile(path, `${HEADER}1,1,${basename(path)},,,`)
  }
  await page.goto('/products/import')
  const area = await page
    .getByText('CSV or JSON file with your products')
    .locator('..')
    .boundingBox()
  const x = area?.x ?? 0
  const below = { x: x + 100, y: (area?.y ?? 0) + (area?.height ?? 0) + 12 }
  await drop(page, paths.slice(0, 1), overlay, below)
  assert.deepEqual(await rows(page, /^New/), ['2 first.csv'])

  // Another file, on the preview of the first and on the heading of the page.
  await drop(page, paths.slice(1, 2), overlay, below)
  await page.getByText('second.csv').first().waitFor()
  assert.deepEqual(await rows(page, /^New/), ['2 second.csv'])
  await drop(page, paths, overlay, { x: x + 10, y: 10 })
  await page.getByText('Drop one file').waitFor()
  assert.deepEqual(await rows(page, /^New/), ['2 second.csv'])

  // The running import is not disturbed.
  const held: Route[] = []
  await page.route('**/api/v1/products', (route) => void held.push(route), { times: 1 })
  await page.getByRole('button', { name: 'Import 1 product' }).click()
  await until('it is sent', () => held.length === 1)
  await drop(page, paths.slice(2), overlay, below)
  await page.getByText('An import is running').waitFor()
  await held[0]?.continue()
  await page.getByText('1 added').waitFor()
  assert.deepEqual(
    (await client.products().page(1)).data.map(({ name }) => name),
    ['second.csv'],
  )
  assert.equal((await client.account()).reserved, 0)
  assert.equal((await client.assets().page(1)).meta.total, 0)
})

test('2,500 products are sent in three requests, and after an error the user can continue the import', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const writes = watchWrites(page)
  const lines = Array.from({ length: 2500 }, (_, index) => `${index},1,Product ${index},,,`)
  await choose(page, HEADER + lines.join('\n'))
  let hasRejected = false
  await page.route('**/api/v1/products', async (route) => {
    if (route.request().method() !== 'PUT') return route.continue()
    if (writes.length >= 2 && !hasRejected) {
      hasRejected = true
      const body = { code: 'invalid', message: 'No.', errors: { 'products.3.name': ['is odd'] } }
      return route.fulfill({ status: 422, json: body })
    }
    return route.continue()
  })
  await page.getByRole('button', { name: 'Import 2,500 products' }).click()
  await page.getByText('1,000 of 2,500 products imported').waitFor()
  await page.getByText('The import stopped').waitFor()
  await page.getByRole('row', { name: '1,005 Title is odd' }).waitFor()
  assert.equal((await client.products().page(1)).meta.total, 1000)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('2,500 added').waitFor()
  assert.deepEqual(writes, [1000, 1000, 1000, 500])
  assert.equal((await client.products().page(1)).meta.total, 2500)
})

test('a running import continues on other pages, and a notification shows its result', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const held: Route[] = []
  await page.route('**/api/v1/products', (route) => void held.push(route), { times: 1 })
  const lines = Array.from({ length: 1500 }, (_, index) => `${index},1,Product ${index},,,`)
  await choose(page, HEADER + lines.join('\n'))
  await page.getByRole('button', { name: 'Import 1,500 products' }).click()
  await until('it is sent', () => held.length === 1)
  await page.getByRole('link', { name: 'Storage' }).click()
  await page.getByRole('heading', { name: 'Storage', level: 1 }).waitFor()
  await held[0]?.continue()
  await page.getByText('1,500 products imported').waitFor()
  assert.equal((await client.products().page(1)).meta.total, 1500)
})
