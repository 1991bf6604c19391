import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { storeFiles, storeProducts } from './support/assets.ts'
import {
  aFolder,
  missingForBrowser,
  openDashboard,
  openPage,
  skipUnlessCi,
  until,
} from './support/dashboard.ts'
import {
  aProduct,
  HOSTILE,
  LONG,
  manyProducts,
  RIGHT_TO_LEFT,
  recordDialogs,
} from './support/products.ts'
import { drop } from './support/uploads.ts'

const NO_BROWSER = await missingForBrowser()

const names = (page: Page) => page.locator('tbody a[href^="/products/"]').allTextContents()
/** The option that Enter chooses. */
const highlighted = (page: Page, name: string) =>
  page.getByRole('option', { name }).and(page.locator('[data-combobox-selected]'))
const pathOf = (page: Page) => page.url().replace(/^https?:\/\/[^/]+/, '')

async function untilNames(page: Page, expected: string[]): Promise<void> {
  let found: string[] = []
  await until('the products are listed', async () => {
    found = await names(page)
    return found.join() === expected.join()
  }).catch(() => assert.deepEqual(found, expected))
}

test('SKUs are shown in full everywhere, also in the highlighted option of the picker', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const skus = [1, 2, 3].map((number) => `ANALOG-SYNTH-PRESETS-COLLECTION-2026-${number}`)
  await client.putProducts([
    ...skus.map((sku, index) =>
      aProduct({ product_id: 1, variant_id: index + 1, name: 'Many', sku }),
    ),
    aProduct({
      product_id: 2,
      name: 'Single',
      variant_name: 'Deluxe edition for studios',
      sku: 'ANALOG-SYNTH-PRESETS-SINGLE-1',
    }),
  ])
  const [asset] = await storeFiles(client, [{ name: 'a.zip' }])
  await client.attach(asset?.id ?? '', { product_ids: [2] })
  const isCutOff = (sku: string) =>
    page
      .getByText(sku, { exact: true })
      .and(page.locator(':visible'))
      .evaluate((it) => Reflect.get(it, 'scrollWidth') > Reflect.get(it, 'clientWidth'))
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto('/products')
    assert.equal(await isCutOff('ANALOG-SYNTH-PRESETS-SINGLE-1'), false)
    await page.getByRole('link', { name: 'Many' }).click()
    for (const sku of skus) assert.equal(await isCutOff(sku), false)
    await page.goto(`/assets/${asset?.id}`)
    assert.equal(await isCutOff('ANALOG-SYNTH-PRESETS-SINGLE-1'), false)
  }
  await page.getByRole('combobox', { name: 'Attach to products' }).fill('collection-2026-2')
  const highlighted = page.locator('[data-combobox-selected]')
  await highlighted.waitFor()
  const colors = await highlighted.evaluate((option) => {
    const details = Array.from(Reflect.get(option, 'querySelectorAll').call(option, 'span, bdi'))
    return [option, ...details].map((it) => Reflect.get(globalThis, 'getComputedStyle')(it).color)
  })
  assert.equal(new Set(colors).size, 1, colors.join())
})

test('products are filtered as the user types, and back and forward restore the filters of the URL', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await client.putProducts([
    aProduct({ product_id: 1, name: 'Book', sku: 'B-1', vendor: 'Press', tags: ['paper'] }),
    aProduct({ product_id: 2, name: 'Drum loops', sku: 'D-1', vendor: 'Sounds', tags: ['audio'] }),
    aProduct({ product_id: 3, name: 'Bass loops', sku: 'D-2', vendor: 'Sounds', tags: ['audio'] }),
  ])
  await page.goto('/products')
  await untilNames(page, ['Bass loops', 'Drum loops', 'Book'])
  await page.getByRole('searchbox', { name: 'Search products' }).pressSequentially('LOOPS')
  // The first letter alone finds the same products.
  await page.waitForURL('/products?search=LOOPS')
  await untilNames(page, ['Bass loops', 'Drum loops'])
  await page.getByRole('searchbox', { name: 'Exact SKU' }).fill('D-1')
  await untilNames(page, ['Drum loops'])
  assert.equal(pathOf(page), '/products?search=LOOPS&sku=D-1')
  await page.goBack()
  await untilNames(page, ['Bass loops', 'Drum loops'])
  await page.goBack()
  await untilNames(page, ['Bass loops', 'Drum loops', 'Book'])
  assert.equal(await page.getByRole('searchbox', { name: 'Search products' }).inputValue(), '')
  await page.goForward()
  await untilNames(page, ['Bass loops', 'Drum loops'])
  await openPage(page, '/products?vendor=press')
  await untilNames(page, ['Book'])
  await page.getByRole('link', { name: 'paper' }).click()
  await page.waitForURL('**/products?tag=paper')
  await untilNames(page, ['Book'])
  await page.getByRole('searchbox', { name: 'Tag' }).fill('nothing has it')
  await page.getByRole('heading', { name: 'No matching products' }).waitFor()
  await page.getByRole('button', { name: 'Clear search and filters' }).click()
  await untilNames(page, ['Bass loops', 'Drum loops', 'Book'])
})

test('products without files are found, and a column header sorts them, as the URL says', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await client.putProducts([
    aProduct({ product_id: 1, name: 'Book', sku: 'Z-1' }),
    aProduct({ product_id: 2, name: 'drum loops', sku: 'D-1' }),
    aProduct({ product_id: 3, variant_id: 1, name: 'Amp', variant_name: 'MP3', sku: 'A-1' }),
    aProduct({ product_id: 3, variant_id: 2, name: 'Amp', variant_name: 'WAV', sku: 'A-2' }),
  ])
  const [asset] = await storeFiles(client, [{ name: 'a.zip' }])
  await client.attach(asset?.id ?? '', { product_ids: [1], variant_ids: [2] })
  await page.goto('/products')
  await untilNames(page, ['Amp', 'drum loops', 'Book'])
  await page.getByText('Without assets', { exact: true }).click()
  await page.waitForURL('/products?show=without-files')
  await untilNames(page, ['Amp', 'drum loops'])
  await page.getByRole('cell', { name: '1 of 2 variants without assets' }).waitFor()
  await page.getByRole('button', { name: 'Product', exact: true }).click()
  await page.getByRole('button', { name: 'Product', exact: true }).click()
  await untilNames(page, ['drum loops', 'Amp'])
  assert.equal(pathOf(page), '/products?show=without-files&sort=-name')
  await page.reload()
  await untilNames(page, ['drum loops', 'Amp'])
  await page
    .getByRole('columnheader', { name: 'Product' })
    .and(page.locator('[aria-sort=descending]'))
    .waitFor()
  await page.goto('/products?sort=sku')
  await untilNames(page, ['Amp', 'drum loops', 'Book'])
  await page.getByRole('button', { name: 'SKU or variants' }).click()
  await untilNames(page, ['Book', 'drum loops', 'Amp'])
})

test('on a phone the filters are behind a button that shows how many are set', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await page.setViewportSize(PHONE)
  await client.putProducts([aProduct({ vendor: 'Press' }), aProduct({ product_id: 2, name: 'B' })])
  await page.goto('/products')
  await untilNames(page, ['B', 'Sample pack'])
  const vendor = page.getByRole('searchbox', { name: 'Vendor' })
  assert.equal(await vendor.isVisible(), false)
  await page.getByRole('button', { name: 'Filters', expanded: false }).click()
  await vendor.fill('press')
  await untilNames(page, ['Sample pack'])
  await page.getByRole('button', { name: 'Filters: 1', expanded: true }).waitFor()
})

test('every page of the product list has a URL, and a page past the end redirects to the last one', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await client.putProducts(manyProducts(120))
  await page.goto('/products')
  await page.getByText('1 to 50 of 120').waitFor()
  await page.getByRole('link', { name: 'Page 3' }).click()
  await page.getByText('101 to 120 of 120').waitFor()
  assert.equal(pathOf(page), '/products?page=3')
  await page.reload()
  await page.getByText('101 to 120 of 120').waitFor()
  await page.goBack()
  await page.getByText('1 to 50 of 120').waitFor()
  await openPage(page, '/products?page=99')
  await page.getByText('101 to 120 of 120').waitFor()
  assert.equal(pathOf(page), '/products?page=3')
})

test('a product page shows details and links to the assets', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const details = { variant_name: 'WAV', sku: 'PACK', vendor: 'Sounds', tags: ['audio', 'new'] }
  const [product] = await client.putProducts([aProduct({ ...details, product_id: 632910392 })])
  const asset = await client.upload(new Blob(['abc']), {
    name: 'pack.zip',
    mime: 'application/zip',
  })
  await client.attach(asset.id, { product_ids: [632910392] })
  await page.goto('/products')
  await page.getByRole('link', { name: 'Sample pack' }).click()
  await page.waitForURL(`**/products/${product?.id}`)
  await page.getByText('632910392').waitFor()
  assert.match(await page.title(), /^Sample pack/)
  for (const text of ['WAV', 'PACK', 'Sounds', 'audio', 'new', '3 B']) {
    await page.getByText(text, { exact: true }).waitFor()
  }
  await page.getByRole('link', { name: 'pack.zip' }).click()
  await page.waitForURL(`**/assets/${asset.id}`)
  await openPage(page, '/products/01981d2c-5a7e-7a10-b2c3-d4e5f6071829')
  await page.getByRole('heading', { name: 'Product not found' }).waitFor()
})

test('a product is one row with all of its variants, and its page attaches, detaches and uploads assets', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await client.putProducts(
    ['WAV', 'MP3', 'FLAC'].map((name, index) =>
      aProduct({ variant_id: index + 1, variant_name: name, vendor: 'Dusty' }),
    ),
  )
  const [asset] = await storeFiles(client, [{ name: 'drums.txt' }, { name: 'other.txt' }])
  const variantsOf = async (search: string) => {
    const { data } = await client.assets({ filename: search, with_products: true }).page()
    return data[0]?.products?.length
  }
  await page.goto('/products')
  await page.getByRole('searchbox', { name: 'Search products' }).fill('dus flac')
  await page.getByRole('cell', { name: '3 variants' }).waitFor()
  await untilNames(page, ['Sample pack'])
  await page.getByRole('link', { name: 'Sample pack' }).click()
  await page.getByRole('cell', { name: /^FLAC/ }).waitFor()
  const assetPicker = page.getByRole('combobox', { name: 'Attach assets' })
  await assetPicker.fill('drum')
  await page.getByRole('option', { name: 'drums.txt' }).click()
  await page.getByText('drums.txt attached to 1 product').waitFor()
  assert.equal(await assetPicker.getAttribute('aria-expanded'), 'true', 'the list stays open')
  await assetPicker.press('Escape')
  const detach = page.getByRole('button', { name: 'Detach drums.txt' })
  const undo = page.getByRole('button', { name: 'Undo' })
  await detach.waitFor()
  await undo.click()
  await detach.waitFor({ state: 'detached' })
  assert.equal(await variantsOf('drums.txt'), 0)
  await assetPicker.fill('drum')
  await highlighted(page, 'drums.txt').waitFor()
  await assetPicker.press('Enter')
  await assetPicker.press('Escape')
  await detach.click()
  await page.getByText('drums.txt detached from 1 product').waitFor()
  await undo.click()
  await detach.waitFor()
  assert.equal(await variantsOf('drums.txt'), 3)
  const folder = await aFolder(t)
  await writeFile(join(folder, 'dropped.txt'), 'dropped')
  await drop(page, [join(folder, 'dropped.txt')], 'attach them to')
  await page.getByRole('button', { name: 'Detach dropped.txt' }).waitFor()
  assert.equal(await variantsOf('dropped.txt'), 3)

  await openPage(page, `/assets/${asset?.id}`)
  await page.getByRole('button', { name: 'Detach Sample pack, all variants' }).click()
  const picker = page.getByRole('combobox', { name: 'Attach to products' })
  await picker.fill('pack wav')
  await page.getByRole('option', { name: 'Sample pack · WAV' }).waitFor()
  await page.getByRole('option', { name: 'Sample pack · all 3 variants' }).click()
  await page.getByRole('button', { name: '3 variants' }).waitFor()

  await page.getByRole('link', { name: 'Assets', exact: true }).click()
  await page.getByRole('button', { name: 'More upload options' }).click()
  await page.getByRole('menuitem', { name: 'Upload and attach to products' }).click()
  const dialog = page.getByRole('dialog', { name: 'Upload and attach to products' })
  const productPicker = dialog.getByRole('combobox', { name: 'Products' })
  await productPicker.fill('mp3')
  // Enter chooses the variant that the search names, not all variants.
  await highlighted(page, 'Sample pack · MP3').waitFor()
  await productPicker.press('Enter')
  const file = { name: 'chosen.txt', mimeType: 'text/plain', buffer: Buffer.from('chosen') }
  await dialog.getByLabel('Files to upload').setInputFiles(file)
  await until('it is uploaded', async () => (await variantsOf('chosen.txt')) === 1)
})

test('any of many variants can be deleted or chosen, even one that is not listed at first', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const products = await client.putProducts(
    Array.from({ length: 140 }, (_, index) =>
      aProduct({ variant_id: index + 1, variant_name: `Size ${index + 1}`, sku: `S${index + 1}` }),
    ),
  )
  const [asset] = await storeFiles(client, [{ name: 'drums.txt' }])
  const deleted = products[129]
  assert.ok(asset && deleted)
  await client.attach(asset.id, { products: [deleted.id] })
  await page.goto(`/products/${deleted.id}`)
  await page.getByText('Showing 100 of 140 variants').waitFor()
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByRole('cell', { name: /^Size 140/ }).waitFor()
  await page.getByRole('searchbox', { name: 'Search variants' }).fill('s130')
  await page.getByText('1 variant', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Delete variant Size 130' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete this variant?' })
  await dialog.getByText('1 attached asset').waitFor()
  await dialog.getByRole('button', { name: 'Delete variant' }).click()
  await page.getByRole('heading', { name: '139 variants' }).waitFor()
  assert.equal(pathOf(page), `/products/${products[0]?.id}`)
  assert.deepEqual((await client.asset(asset.id, { with_products: true })).products, [])

  await openPage(page, `/assets/${asset.id}`)
  const picker = page.getByRole('combobox', { name: 'Attach to products' })
  await picker.fill('pack s137')
  await page.getByRole('option', { name: 'Sample pack · Size 137 · S137' }).click()
  await page.getByRole('button', { name: 'Detach Sample pack · Size 137' }).waitFor()
  await picker.fill('pack')
  await page.getByRole('option', { name: 'Sample pack · choose from 139 variants…' }).click()
  await page.getByRole('option', { name: /show more/ }).click()
  await page.getByRole('option', { name: 'Sample pack · Size 99 · S99' }).waitFor()
  assert.equal(await page.getByRole('option', { name: 'Size 101' }).count(), 0)
  await picker.fill('s139')
  await page.getByRole('option', { name: 'Sample pack · Size 139 · S139' }).click()
  await page.getByRole('button', { name: '2 variants' }).waitFor()
})

test('hostile, very long and right-to-left names do not break the pages', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const dialogs = recordDialogs(page)
  const [first] = await client.putProducts(
    [HOSTILE, RIGHT_TO_LEFT, LONG].map((name, index) =>
      aProduct({
        product_id: index,
        name,
        variant_name: name,
        sku: name,
        vendor: name,
        tags: [name],
      }),
    ),
  )
  for (const path of [`/products/${first?.id}`, '/products']) {
    await page.goto(path)
    for (const width of [PHONE.width, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      await page.getByText(HOSTILE).first().waitFor()
      assert.equal(await page.locator('img[src=x]').count(), 0)
      assert.equal(await horizontalScroll(page), 0, `${path} at ${width}`)
    }
  }
  const written = page.locator('bdi', { hasText: RIGHT_TO_LEFT }).first()
  const direction = await written.evaluate((it) => it.matches(':dir(rtl)'))
  assert.ok(direction)
  assert.deepEqual(dialogs, [])
})

const PHONE = { width: 390, height: 844 }

/** How far the page scrolls horizontally. */
function horizontalScroll(page: Page): Promise<number> {
  return page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
}

test('a product is deleted by keyboard after a confirmation, and its assets stay', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await client.putProducts([aProduct({ product_id: 1, name: 'Book' }), aProduct({ product_id: 2 })])
  const asset = await client.upload(new Blob(['abc']), { name: 'book.pdf' })
  await client.attach(asset.id, { product_ids: [1] })
  await page.goto('/products')
  await page.getByRole('button', { name: 'Delete Book' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Delete this product?' })
  await dialog.getByText('1 attached asset').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  // As for a product with more than 5,000 attachments.
  const uncounted = /"assets_total":1/g
  await page.route('**/api/v1/product-groups*', async (route) => {
    const response = await route.fetch()
    const body = (await response.text()).replaceAll(uncounted, '"assets_total":null')
    await route.fulfill({ response, body })
  })
  await page.reload()
  await page.getByRole('button', { name: 'Delete Book' }).press('Enter')
  await dialog.getByText('Many attached assets').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  assert.equal((await client.products().page(1)).meta.total, 2)
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Delete product' }).press('Enter')
  await page.getByRole('link', { name: 'Book' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Sample pack' }).waitFor()
  assert.equal((await client.asset(asset.id)).filename, 'book.pdf')
})

test('the page of a product offers files without a product first, by name, and attaches several in a row', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const [product] = await storeProducts(client, ['Analog Drums'])
  const names = ['analog drums.zip', 'SKU-1.pdf', 'cover.png', 'attached.zip']
  const assets = await storeFiles(
    client,
    names.map((name) => ({ name })),
  )
  const other = await client.putProducts([{ product_id: 9, variant_id: 9, name: 'Other' }])
  await client.attach(assets[3]?.id ?? '', { products: [other[0]?.id ?? ''] })
  await page.goto(`/products/${product?.id}`)
  const picker = page.getByRole('combobox', { name: 'Attach assets' })
  await picker.click()
  const options = page.getByRole('option')
  await options.first().waitFor()
  const labels = await options.allInnerTexts()
  assert.deepEqual(
    labels.map((label) => label.replace(/ \(.*/, '')),
    ['SKU-1.pdf', 'analog drums.zip', 'cover.png'],
  )
  await options.first().click()
  await options.first().click()
  await page.getByRole('button', { name: 'Detach SKU-1.pdf' }).waitFor()
  await page.getByRole('button', { name: 'Detach analog drums.zip' }).waitFor()
  const { data } = await client.assets({ product_id: 1 }).page()
  assert.equal(data.length, 2)
})

test('the files of a product are arranged by keyboard and by dragging, as buyers see them', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const [product] = await client.putProducts([
    aProduct({ product_id: 1, variant_id: 1, name: 'Course' }),
    aProduct({ product_id: 1, variant_id: 2, name: 'Course' }),
  ])
  for (const filename of ['one', 'two', 'three']) {
    const { id } = await client.store({ filename, url: 'https://example.com' })
    await client.attach(id, filename === 'two' ? { variant_ids: [2] } : { product_ids: [1] })
  }
  await page.goto(`/products/${product?.id}`)
  const names = () => page.locator('main ul li a').allTextContents()
  await until('the files are listed', async () => (await names()).join() === 'one,two,three')
  const up = page.getByRole('button', { name: 'Move three up' })
  await up.focus()
  await page.keyboard.press('Enter')
  await until('it is the second', async () => (await names()).join() === 'one,three,two')
  await until('the button has the focus', () => up.evaluate((it) => it === document.activeElement))
  await page.keyboard.press('Enter')
  await until('it is the first', async () => (await names()).join() === 'three,one,two')
  const stored = async () => {
    const { data } = await client.assetsOf(product?.id ?? '', { all_variants: true }).page()
    return data.map(({ filename }) => filename).join()
  }
  await until('the order is stored', async () => (await stored()) === 'three,one,two')
  await page.reload()
  await until('the order is kept', async () => (await names()).join() === 'three,one,two')

  const row = (name: string) => page.locator('main ul li').filter({ hasText: name })
  await row('three').dragTo(row('two'))
  await until('it is the last', async () => (await names()).join() === 'one,two,three')
  await until('this order is stored', async () => (await stored()) === 'one,two,three')
  await row('two').dragTo(row('one'))
  await until('another is the first', async () => (await stored()) === 'two,one,three')
  await row('three').dragTo(page.getByRole('heading', { name: 'Course' }))
  assert.equal((await names()).join(), 'two,one,three')
  await openPage(page, '/activity')
  await page.getByRole('cell', { name: 'Files arranged' }).first().waitFor()
})
