import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingForBrowser, openDashboard, skipUnlessCi } from './support/dashboard.ts'
import { aProduct } from './support/products.ts'

const NO_BROWSER = await missingForBrowser()

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
