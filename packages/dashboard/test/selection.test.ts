import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeManyLinks } from '@stowage/testing/service/shop'
import type { Route } from 'playwright-core'
import { storeFiles, storeProducts, untilRows } from './support/assets.ts'
import { assertAccessible, DIALOG } from './support/axe.ts'
import {
  leaveDialog,
  missingForBrowser,
  openDashboard,
  skipUnlessCi,
  until,
} from './support/dashboard.ts'
import { aProduct } from './support/products.ts'

const NO_BROWSER = await missingForBrowser()

const IS_LAST_OPTION_VISIBLE = `(() => {
  const option = [...document.querySelectorAll('[role=option]')].at(-1)
  if (option === undefined) return false
  const { x, y, width, height } = option.getBoundingClientRect()
  return option.contains(document.elementFromPoint(x + width / 2, y + height - 2))
})()`

test('the keyboard reaches the page, the actions for a selection, its deletion and the list of keys', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await storeFiles(
    client,
    ['one', 'two', 'three'].map((name) => ({ name })),
  )
  await page.goto('/')
  await page.getByRole('checkbox', { name: 'Select three' }).waitFor()
  await page.keyboard.press('Tab')
  await page.getByRole('link', { name: 'Skip to content' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await page.locator('main:focus').waitFor()

  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await page.keyboard.press('?')
  await dialog.getByText('Delete the selected assets').waitFor()
  await assertAccessible(page, 'the list of keys', DIALOG)
  await leaveDialog(page)
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('checkbox', { name: 'Select three' }).focus()
  await page.keyboard.press('Space')
  const bar = page.getByRole('region', { name: 'Selection' })
  await bar.waitFor()
  await page.keyboard.press('Control+Enter')
  await bar
    .getByRole('button', { name: 'Attach to products' })
    .and(page.locator(':focus'))
    .waitFor()
  await page.getByRole('checkbox', { name: 'Select two' }).focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Delete')
  await page.getByRole('dialog', { name: 'Delete 2 assets?' }).waitFor()
  await leaveDialog(page)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  // In a field, the keys are text.
  const search = page.getByLabel('Search assets', { exact: true })
  await search.fill('t')
  await page.keyboard.press('?')
  assert.equal(await search.inputValue(), 't?')
  assert.equal(await page.getByRole('dialog').count(), 0)
})

test('the keys work right after the first selection, before the bar is loaded', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const [asset] = await storeFiles(client, [{ name: 'one' }, { name: 'two' }])

  let isHeld = false
  let pressed = Promise.withResolvers<void>()
  await page.route(/asset-tools/, async (route) => {
    isHeld = true
    await pressed.promise
    await route.continue()
  })
  async function pressBeforeTheBar(key: string): Promise<void> {
    isHeld = false
    pressed = Promise.withResolvers()
    await page.goto('/')
    await page.getByRole('checkbox', { name: 'Select one' }).focus()
    await page.keyboard.press('Space')
    await until('the bar is requested', () => isHeld)
    await page.keyboard.press(key)
    pressed.resolve()
  }
  await pressBeforeTheBar('Control+Enter')
  await page
    .getByRole('region', { name: 'Selection' })
    .getByRole('button', { name: 'Attach to products' })
    .and(page.locator(':focus'))
    .waitFor()
  await pressBeforeTheBar('Delete')
  await page.getByRole('dialog', { name: 'Delete this asset?' }).waitFor()
  await page.getByRole('button', { name: 'Delete asset' }).click()
  await untilRows(page, ['two'])

  await page.goto('/trash')
  await page.getByRole('checkbox', { name: `Select ${asset?.filename}` }).focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Delete')
  await page.getByRole('dialog', { name: /forever/ }).waitFor()
})

test('several assets can be selected, also as a range, then attached to products or deleted', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await storeFiles(
    client,
    ['one', 'two', 'three', 'four', 'five'].map((name) => ({ name })),
  )
  await storeProducts(client, ['Guide', 'Poster', 'Mug'])
  await page.goto('/')
  await page.getByRole('checkbox', { name: 'Select five' }).click()
  await page.getByRole('checkbox', { name: 'Select three' }).click({ modifiers: ['Shift'] })
  await page.getByText('3 assets selected').waitFor()
  await page.getByRole('button', { name: 'Attach to products' }).click()
  const picker = page.getByRole('combobox', { name: 'Products' })
  await until('the picker has the focus', () =>
    picker.evaluate((element) => element === document.activeElement),
  )
  await picker.click()
  await until('the last option is not clipped by the dialog', () =>
    page.evaluate<boolean>(IS_LAST_OPTION_VISIBLE),
  )
  // While the service is searching, products without the words cannot be chosen by mistake.
  const held = Promise.withResolvers<void>()
  await page.route(/search=post/, (route) => held.promise.then(() => route.continue()))
  await page.keyboard.type('post')
  await page.getByRole('option', { name: 'Guide' }).waitFor({ state: 'detached' })
  await page.getByRole('option', { name: 'Poster' }).click()
  held.resolve()
  await picker.fill('SKU-3')
  await page.getByRole('option', { name: 'Mug' }).click()
  await page.getByRole('button', { name: 'Attach', exact: true }).click()
  await page.getByText('3 assets attached to 2 products').waitFor()
  // The message, which stays for 10 seconds, does not cover the button.
  await page
    .getByRole('button', { name: 'Upload', exact: true })
    .click({ trial: true, timeout: 5_000 })
  const attached = await client
    .assets({ attached: true, with_products: true, sort: 'filename' })
    .page()
  assert.deepEqual(
    attached.data.map(({ filename, products }) => [
      filename,
      products?.map(({ name }) => name).toSorted(),
    ]),
    ['five', 'four', 'three'].map((name) => [name, ['Mug', 'Poster']]),
  )

  await page.getByRole('checkbox', { name: 'Select five' }).click()
  await page.getByRole('button', { name: 'Select all 5' }).click()
  await page.getByText('5 assets selected').waitFor()
  await page.getByRole('button', { name: 'Detach', exact: true }).click()
  const detaching = page.getByRole('dialog', { name: 'Detach 5 assets from products' })
  await detaching.getByRole('checkbox', { name: 'Mug' }).click()
  await detaching.getByRole('button', { name: 'Detach' }).click()
  await page.getByText('3 assets detached from 1 product').waitFor()
  const ofMug = () => client.assets({ sku: 'SKU-3' }).page()
  assert.equal((await ofMug()).meta.total, 0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Attached again').waitFor()
  assert.equal((await ofMug()).meta.total, 3)

  await page.getByRole('checkbox', { name: 'Select all on this page' }).click()
  await page.getByRole('checkbox', { name: 'Select one' }).click()
  await page.getByText('4 assets selected').waitFor()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete 4 assets?' })
  for (const name of ['five', 'two', 'Poster', 'Mug']) await dialog.getByText(name).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  assert.equal((await client.account()).assets, 5)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByRole('button', { name: 'Delete 4 assets' }).click()
  await untilRows(page, ['one'])
  assert.equal((await client.account()).assets, 1)
})

test('an asset that is already deleted does not prevent the deletion of the others', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const [gone] = await storeFiles(client, [{ name: 'gone' }, { name: 'here' }])
  await page.goto('/')
  await page.getByRole('checkbox', { name: 'Select all on this page' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await client.delete(gone?.id ?? '', { permanent: true })
  await page.getByRole('button', { name: 'Delete 2 assets' }).click()
  await page.getByText('2 assets deleted').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Could not restore all assets').waitFor()
  await untilRows(page, ['here'])
})

test('closing the dialog before the service has deleted the assets keeps them', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const names = Array.from({ length: 9 }, (_, index) => `${index}`)
  await storeFiles(
    client,
    names.map((name) => ({ name })),
  )
  const held: Route[] = []
  await page.route('**/api/v1/assets/bulk', (route) => void held.push(route))
  await page.goto('/')
  await page.getByRole('checkbox', { name: 'Select all on this page' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete 9 assets' }).click()
  await until('the deletion is running', () => held.length === 1)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  for (const route of held) await route.continue().catch(() => {})
  await page.reload()
  await untilRows(page, names.toReversed())
  assert.equal(held.length, 1)
})

test('on a phone, the actions for the selection are in two rows, and every one can be reached', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await storeFiles(client, [{ name: 'a.txt' }, { name: 'b.txt' }])
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/')
  await page.getByRole('checkbox', { name: 'Select a.txt' }).click()
  const bar = page.getByRole('region', { name: 'Selection' })
  const box = await bar.boundingBox()
  assert.ok(box !== null && box.height < 110, `${box?.height}`)
  await bar.getByRole('button', { name: 'Select all 2' }).click()
  await bar.getByText('2 assets selected').waitFor()
  await bar.getByRole('button', { name: 'Clear' }).click()
  await bar.waitFor({ state: 'detached' })
})

test('more than 1,000 assets are selected, deleted, restored and attached by their filter', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, service } = await openDashboard(t)
  await storeManyLinks(service, 1_200)
  await client.store({ filename: 'other', url: 'https://example.com' })
  await client.putProducts([aProduct({ product_id: 1, name: 'Poster' })])
  const count = async (query = {}) =>
    (await client.assets({ ...query, exact_total: true }).page()).meta.total
  const [first] = (await client.assets({ limit: 2, sort: 'created_at' }).page()).data
  await page.goto(`/?search=${first?.filename.split('.')[0]}`)
  await page.getByRole('checkbox', { name: 'Select all on this page' }).click()
  await page.getByRole('button', { name: 'Select all 1,200' }).click()
  await page.getByText('All 1,200 assets selected').waitFor()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete 1,200 assets?' })
  await dialog.getByText('Buyers of the products').waitFor({ state: 'detached' })
  await dialog.getByText('You can restore them from the trash').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await client.attach(first?.id ?? '', { product_ids: [1] })
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByText('Buyers of the products').waitFor()
  await dialog.getByRole('button', { name: 'Delete 1,200 assets' }).click()
  await page.getByText('1,200 assets deleted').waitFor()
  assert.equal(await count(), 1)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone for 1,200 assets').waitFor()
  assert.equal(await count(), 1_201)
  await client.detach(first?.id ?? '', { product_ids: [1] })

  await page.getByRole('checkbox', { name: 'Select all on this page' }).click()
  await page.getByRole('button', { name: 'Select all 1,200' }).click()
  await page.getByRole('button', { name: 'Attach to products' }).click()
  await page.getByRole('combobox', { name: 'Products' }).fill('poster')
  await page.getByRole('option', { name: 'Poster' }).click()
  await page.getByRole('button', { name: 'Attach', exact: true }).click()
  await page.getByText('1,200 assets attached').waitFor()
  assert.equal(await count({ product_id: 1 }), 1_200)
  await page.getByRole('button', { name: 'Undo' }).click()
  await until('the assets are detached', async () => (await count({ product_id: 1 })) === 0)

  await page.getByRole('checkbox', { name: 'Select all on this page' }).click()
  await page.getByRole('button', { name: 'Select all 1,200' }).click()
  await page.getByRole('button', { name: 'Tags', exact: true }).click()
  await page.getByRole('combobox', { name: 'Tags' }).fill('Autumn')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Change tags' }).click()
  await page.getByText('1,200 assets tagged').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await until('the tags are removed', async () => (await count({ tag: 'autumn' })) === 0)
  await page.getByRole('checkbox', { name: 'Select all on this page' }).click()
  await page.getByRole('button', { name: 'Select all 1,200' }).click()
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await page.getByRole('textbox', { name: 'Folder' }).fill('autumn/2026')
  await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click()
  await page.getByText('1,200 assets moved').waitFor()
  assert.equal(await count({ path: 'autumn/2026' }), 1_200)

  const deleted = await client.bulk({ action: 'delete', filter: {}, expected: 1_201 })
  assert.equal(deleted.changed, 1_201)
  await page.goto('/trash')
  await page.getByRole('checkbox', { name: 'Select all on this page' }).click()
  await page.getByRole('button', { name: 'Select all 1,201' }).click()
  await page.getByRole('button', { name: 'Restore', exact: true }).click()
  await page.getByText('1,201 assets restored').waitFor()
  assert.equal(await count(), 1_201)
})

test('the progress of a long change is shown, also after a reload, and it can be stopped and undone', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, service } = await openDashboard(t)
  await storeManyLinks(service, 1_200)
  await service.stopJobs()
  await page.goto('/')
  await page.getByRole('checkbox', { name: 'Select all on this page' }).click()
  await page.getByRole('button', { name: 'Select all 1,200' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete 1,200 assets' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  const progress = page.getByRole('region', { name: 'Running changes' })
  await progress.getByText('Deleting 1,200 assets').waitFor()
  const [job] = await client.bulkJobs()
  await progress.getByText(`${job?.done} of 1,200`).waitFor()
  await page.reload()
  await progress.getByRole('progressbar', { name: 'Deleting 1,200 assets' }).waitFor()
  await progress.getByRole('button', { name: 'Stop' }).click()
  await progress.waitFor({ state: 'detached' })
  const stopped = await client.bulkJob(job?.id ?? '')
  assert.deepEqual([stopped.status, stopped.changed], ['cancelled', job?.done])
  assert.equal((await client.undoBulk(stopped.id)).changed, stopped.changed)
})

test('selected assets and a folder are downloaded as a ZIP archive, whose exact size is shown before', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const file = await client.upload(Buffer.from('text'), { name: 'a.txt', path: 'course' })
  const link = await client.store({ filename: 'b.mp4', url: 'https://example.com/b.mp4' })
  await page.goto('/')
  await page.getByLabel('Select a.txt').check()
  await page.getByLabel('Select b.mp4').check()
  await page.getByRole('button', { name: 'Download as ZIP' }).click()
  const { bytes } = await client.zip({ ids: [file.id, link.id] })
  const dialog = page.getByRole('dialog')
  await dialog.getByText(`2 files, ${bytes} B (${bytes} bytes)`).waitFor()
  await dialog.getByText('A link is a small file in the archive').waitFor()
  await assertAccessible(page, 'an archive', DIALOG)
  const downloading = page.waitForEvent('download')
  await dialog.getByRole('link', { name: 'Download as ZIP' }).click()
  const download = await downloading
  assert.equal(download.suggestedFilename(), 'files.zip')
  await download.cancel()

  await page.goto('/?path=course')
  await page.getByRole('button', { name: 'Download as ZIP' }).click()
  await page
    .getByRole('dialog', { name: 'course.zip' })
    .getByText(/^1 file, /)
    .waitFor()
})
