import { test } from 'node:test'
import { storeFiles, storeProducts } from '@stowage/dashboard/test/support/assets'
import { assertAccessible, DIALOG } from '@stowage/dashboard/test/support/axe'
import {
  missingForBrowser,
  openDashboard,
  openPage,
  skipUnlessCi,
} from '@stowage/dashboard/test/support/dashboard'
import { aFile, watchParts } from '@stowage/dashboard/test/support/uploads'

const NO_BROWSER = await missingForBrowser()
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"/>'

test('axe finds no violations on the pages of assets, in all of their states', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, context, service } = await openDashboard(t, {
    STOWAGE_CHUNK_SIZE: '1000000',
    STOWAGE_PLAN_STORAGE: '10MB',
  })
  await page.goto('/')
  await page.getByText('Drop your first file here').waitFor()
  await assertAccessible(page, 'first use')

  const files = await storeFiles(client, [
    { name: 'a.txt' },
    { name: 'دليل.svg', mime: 'image/svg+xml', content: SVG },
  ])
  const link = await client.store({ filename: 'link', url: 'https://example.com/' })
  const products = await storeProducts(client, ['Poster', 'Mug'])
  await client.attach(files[1]?.id ?? '', { products: products.map(({ id }) => id) })
  const [broken] = await storeFiles(client, [{ name: 'broken.png', mime: 'image/png' }])
  await client.putProducts(
    Array.from({ length: 30 }, (_, index) => ({
      product_id: 9,
      variant_id: index,
      name: 'Font',
      variant_name: `License for ${index} seats`,
      sku: `FONT-${index}`,
    })),
  )
  await client.attach(broken?.id ?? '', { product_ids: [9] })
  await page.reload()
  await page.getByRole('checkbox', { name: 'Select a.txt' }).click()
  await assertAccessible(page, 'the list with a selected asset')
  await page.getByRole('button', { name: 'Filter by product' }).click()
  await page.getByRole('combobox', { name: 'Product' }).click()
  await page.getByRole('option', { name: 'Mug' }).waitFor()
  await assertAccessible(page, 'the dialog to filter by product', DIALOG)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'More upload options' }).click()
  await page.getByRole('menuitem', { name: 'Add URL' }).waitFor()
  await assertAccessible(page, 'the menu of uploads', '[role=menu]')
  await page.keyboard.press('Escape')
  await page.getByRole('checkbox', { name: 'Select دليل.svg' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByText('Attached to 2 products').waitFor()
  await assertAccessible(page, 'the dialog to delete', DIALOG)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Detach' }).click()
  await page.getByRole('checkbox', { name: 'All products' }).check()
  await assertAccessible(page, 'the dialog to detach', DIALOG)
  await page.getByRole('dialog').getByRole('button', { name: 'Detach' }).click()
  // The message stays while the pointer is over it, however long axe needs.
  await page.getByRole('button', { name: 'Undo' }).hover()
  await assertAccessible(page, 'a notification with an action')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Attached again').waitFor()
  await page.getByRole('checkbox', { name: 'Select a.txt' }).click()
  await page.getByRole('button', { name: 'Attach to products' }).click()
  await page.getByRole('combobox', { name: 'Products' }).click()
  await page.getByRole('option', { name: 'Poster' }).waitFor()
  await assertAccessible(page, 'the dialog to attach', DIALOG)

  await page.goto('/?search=nothing&show=no-product')
  await page.getByText('with the filter No product').waitFor()
  await assertAccessible(page, 'no match')
  for (const { id, filename } of [...files, link]) {
    await openPage(page, `/assets/${id}`)
    await page.getByRole('heading', { name: filename, level: 1 }).waitFor()
    await page.getByRole('heading', { name: 'Products' }).waitFor()
    await assertAccessible(page, filename)
  }
  await page.getByRole('button', { name: 'Rename' }).click()
  await assertAccessible(page, 'renaming')
  await openPage(page, `/assets/${broken?.id}`)
  await page.getByText('This image cannot be displayed').waitFor()
  await page.getByRole('button', { name: '30 variants' }).click()
  await page.getByRole('button', { name: 'Detach Font · License for 29 seats' }).waitFor()
  await assertAccessible(page, 'a broken image with 30 variants')
  await openPage(page, `/assets/${files[0]?.id}`)
  const failure = { code: 'internal', message: 'The request failed.' }
  await page.route('**/address', (route) => route.fulfill({ status: 400, json: failure }))
  await page.getByRole('button', { name: 'Download' }).click()
  await page.getByText('Could not create a download URL').waitFor()
  await assertAccessible(page, 'an error notification')
  await openPage(page, '/assets/01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f')
  await page.getByText('Asset not found').waitFor()
  await assertAccessible(page, 'an asset that does not exist')
  await page.route('**/api/v1/assets?*', (route) => route.fulfill({ status: 400, json: failure }))
  await page.goto('/')
  await page.getByText('Could not load the assets').waitFor()
  await assertAccessible(page, 'a list that cannot be loaded')
  await page.unroute('**/api/v1/assets?*')

  const parts = await watchParts(context, service, 1)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'a.txt' }).waitFor()
  await page.getByLabel('Files to upload').setInputFiles(await aFile(t, 'done', 1))
  await page.getByText('1 file uploaded').first().waitFor()
  await page.getByLabel('Files to upload').setInputFiles(await aFile(t, 'held', 2_000_000))
  await page.getByText('Uploading · 1 of 2 files done').waitFor()
  await page.getByLabel('Files to upload').setInputFiles(await aFile(t, 'too large', 20_000_000))
  await page.getByText('Not enough storage').waitFor()
  await assertAccessible(page, 'uploading')
  const existing = [await aFile(t, 'a.txt', 1), await aFile(t, 'done', 1)]
  await page.getByLabel('Files to upload').setInputFiles(existing)
  await page.getByRole('checkbox', { name: 'Apply to all 2 files' }).waitFor()
  await assertAccessible(page, 'the dialog about names that exist', DIALOG)
  await page.getByRole('button', { name: 'Skip' }).click()
  await page.getByRole('button', { name: 'Pause: held' }).click()
  await page.getByText(/^Paused at/).waitFor()
  page.on('dialog', (dialog) => dialog.accept())
  await page.reload()
  parts.release()
  await page.getByRole('heading', { name: 'Unfinished uploads' }).waitFor()
  await assertAccessible(page, 'unfinished uploads')
  await page.setViewportSize({ width: 390, height: 844 })
  await assertAccessible(page, 'on a phone')
  await page.route('**/api/v1/**', (route) => route.abort())
  await page.getByLabel('Files to upload').setInputFiles(await aFile(t, 'waiting', 1))
  await page.getByText('1 file is waiting').waitFor()
  await assertAccessible(page, 'files that wait for the service')
})
