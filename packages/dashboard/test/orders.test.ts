import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeClient } from '@stowage/client/node'
import { assertAccessible, assertAccessibleAtAllWidths, DIALOG } from './support/axe.ts'
import {
  missingForBrowser,
  openDashboard,
  openPage,
  signIn,
  skipUnlessCi,
} from './support/dashboard.ts'
import { HOSTILE, recordDialogs } from './support/products.ts'

const NO_BROWSER = await missingForBrowser()

/** A link, which needs no upload. */
const aLink = (client: NodeClient, filename = 'score.pdf') =>
  client.store({ filename, url: `https://example.com/${filename}` })

test('orders are found while typing, filtered, sorted, and appear without a reload', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const dialogs = recordDialogs(page)
  const { id } = await aLink(client)
  await page.goto('/orders')
  await page.getByRole('heading', { name: 'No orders yet' }).waitFor()
  await page.getByRole('link', { name: 'Orders' }).and(page.locator('[aria-current]')).waitFor()

  const order = (number: string, more: object = {}) =>
    client.createOrder({ order_number: number, assets: [id], ...more })
  await order('#9', { name: HOSTILE, ordered_at: 1_700_000_000 })
  await order('#10', { email: 'ada@example.com', max_downloads: 3, ordered_at: 1_600_000_000 })
  const held = await order('#11', { label: 'Review copy', reference: 'gid-11', held: true })
  await page.getByRole('link', { name: '#11' }).waitFor()
  await page.getByRole('cell', { name: '0 · limit 3 per file' }).waitFor()
  await assertAccessibleAtAllWidths(page, 'orders')

  const numbers = () => page.getByRole('link', { name: /^#/ }).allInnerTexts()
  const shows = (...expected: string[]) =>
    page.waitForFunction(
      (wanted) =>
        [...document.querySelectorAll('a[data-row-link]')].map((it) => it.textContent).join() ===
        wanted,
      expected.join(),
    )
  assert.deepEqual(await numbers(), ['#11', '#10', '#9'])
  await page.getByRole('button', { name: 'Order', exact: true }).click()
  await shows('#9', '#10', '#11')
  await page.getByRole('button', { name: 'Ordered' }).click()
  await shows('#11', '#9', '#10')

  const search = page.getByRole('searchbox', { name: 'Search orders' })
  for (const [text, found] of [
    ['ada@', '#10'],
    ['gid-11', '#11'],
    ['review', '#11'],
    ['#9', '#9'],
  ] as const) {
    await search.fill(text)
    await shows(found)
  }
  await search.fill('nothing')
  await page.getByRole('heading', { name: 'No matching orders' }).waitFor()
  await page.getByRole('button', { name: 'Clear search and filters' }).click()
  await page.getByLabel('Status', { exact: true }).selectOption('Held')
  await shows('#11')
  assert.match(page.url(), /status=held/)
  await client.changeOrder(held.id, { held: false })
  await page.getByRole('heading', { name: 'No matching orders' }).waitFor()
  assert.deepEqual(dialogs, [])
})

test('an order shows its files and downloads, and is extended, held, given other files and revoked', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, service } = await openDashboard(t)
  await client.putProducts([
    { product_id: 1, variant_id: 1, name: 'Course', variant_name: '', sku: 'C', vendor: '' },
  ])
  const lesson = await aLink(client, 'lesson.mp4')
  await aLink(client)
  await client.bulk({ action: 'attach', ids: [lesson.id], product_ids: [1] })
  const order = await client.createOrder({
    order_number: '#1001',
    lines: [{ product_id: 1, quantity: 3, refunded_quantity: 1 }],
    max_downloads: 1,
  })
  await page.goto(`/orders/${order.id}`)
  await page.getByRole('heading', { name: '#1001' }).waitFor()
  await page.getByRole('row', { name: 'Course 3 1' }).waitFor()
  await page.getByRole('row', { name: /lesson\.mp4.* 0 of 2$/ }).waitFor()
  await page.getByText('No downloads yet').waitFor()
  // A download appears without a reload.
  await client.startDownload(order.id, lesson.id)
  await page.getByRole('row', { name: /lesson\.mp4.* 1 of 2/ }).waitFor()
  const log = page.getByRole('region', { name: 'Download log' })
  await log.getByRole('row', { name: /lesson\.mp4.*Backend/ }).waitFor()

  await page.getByRole('button', { name: 'QR code' }).click()
  await page.getByRole('img', { name: 'QR code of the download page' }).waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'URL' }).inputValue(), order.url)
  const asBuyer = page.getByRole('link', { name: 'Open as the buyer sees it' })
  assert.equal(await asBuyer.getAttribute('href'), order.url)
  assert.ok(order.url?.startsWith(service.baseUrl))
  await assertAccessibleAtAllWidths(page, 'an order')

  await page.getByRole('button', { name: 'Extend or change' }).click()
  const editing = page.getByRole('dialog', { name: 'Change the order' })
  await editing.getByLabel('Label').fill('Paid twice')
  await editing.getByLabel('Maximum downloads per file').fill('4')
  await editing.getByLabel('Expires').fill('2099-12-31')
  await assertAccessible(page, 'changing an order', DIALOG)
  await editing.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: /lesson\.mp4.* 1 of 8/ }).waitFor()
  const changed = await client.order(order.id)
  assert.deepEqual([changed.label, changed.max_downloads], ['Paid twice', 4])
  assert.match(`${changed.expires_at}`, /^(?:2099-12-31|2100-01-01)/)

  await page.getByRole('button', { name: 'Attach files' }).click()
  const attaching = page.getByRole('dialog', { name: 'Attach files' })
  await attaching.getByRole('combobox').or(attaching.getByLabel('Files')).first().fill('score')
  await page.getByRole('option', { name: 'score.pdf' }).click()
  await assertAccessible(page, 'attaching files to an order', DIALOG)
  await attaching.getByRole('button', { name: 'Attach files' }).click()
  await page.getByRole('row', { name: /score\.pdf.*Only this order 0 of 4/ }).waitFor()
  await page.getByRole('button', { name: 'Detach score.pdf' }).click()
  await page.getByRole('row', { name: /score\.pdf/ }).waitFor({ state: 'hidden' })

  await page.getByRole('button', { name: 'Hold' }).click()
  await page.getByText('The buyer has to wait').waitFor()
  await page.getByRole('button', { name: 'Release' }).click()
  await page.getByRole('button', { name: 'Hold' }).waitFor()
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke order' }).click()
  await page.getByText('This order was revoked for good').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Extend or change' }).count(), 0)
  assert.equal((await client.order(order.id)).status, 'revoked')
})

test('a request for more downloads is answered with one click, and the products of an order are edited', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const names = [
    { product_id: 1, name: 'Course', variant_name: '', variant_id: 1, sku: 'C' },
    { product_id: 2, name: 'Poster', variant_name: 'A2', variant_id: 21, sku: 'P-A2' },
    { product_id: 2, name: 'Poster', variant_name: 'A3', variant_id: 22, sku: 'P-A3' },
  ]
  await client.putProducts(names.map((one) => ({ ...one, vendor: '' })))
  const file = await client.upload(Buffer.from('1'), { name: 'lesson.mp4' })
  await client.bulk({ action: 'attach', ids: [file.id], product_ids: [1] })
  const lines = [{ product_id: 1, quantity: 2 }]
  const order = await client.createOrder({ order_number: '#1', lines, max_downloads: 1 })
  await page.goto('/orders')
  await page.getByRole('link', { name: '#1' }).waitFor()
  await fetch(`${order.url}/${file.id}/more`, { method: 'POST' })
  await page.getByRole('row', { name: /#1.*Active Asks for more/ }).waitFor()
  await assertAccessibleAtAllWidths(page, 'an order with a request')
  await page.getByRole('link', { name: '#1' }).click()
  await page.getByText('The limit of lesson.mp4 is reached').waitFor()
  await assertAccessibleAtAllWidths(page, 'a request for more downloads')
  await page.getByRole('button', { name: 'Allow 3 more of each file' }).click()
  await page.getByText('The limit of lesson.mp4 is reached').waitFor({ state: 'hidden' })
  await page.getByRole('row', { name: /lesson\.mp4.* 0 of 8/ }).waitFor()

  await page.getByRole('button', { name: 'Edit products' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit the products of the order' })
  await dialog.getByLabel('Refunded of Course').fill('3')
  assert.ok(await dialog.getByRole('button', { name: 'Save' }).isDisabled())
  await dialog.getByLabel('Refunded of Course').fill('1')
  await dialog.getByLabel('Add a product').first().fill('poster a3')
  await page.getByRole('option', { name: 'Poster · A3' }).click()
  await dialog.getByLabel('Quantity of Poster · A3').fill('5')
  await assertAccessible(page, 'editing the products of an order', DIALOG)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: 'Poster A3 5 0' }).waitFor()
  await page.getByRole('row', { name: 'Course 2 1' }).waitFor()
  const changed = await client.order(order.id)
  const facts = changed.lines.map((one) => [one.variant_id, one.quantity, one.refunded_quantity])
  assert.deepEqual(facts, [
    [null, 2, 1],
    [22, 5, 0],
  ])
  await page.getByRole('button', { name: 'Edit products' }).click()
  await dialog.getByRole('button', { name: 'Remove Poster · A3' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: 'Poster A3 5 0' }).waitFor({ state: 'hidden' })
})

test('a key with read access sees orders, and none of their controls', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const settings = {
    STOWAGE_AUTH: 'keys',
    STOWAGE_ADMIN_KEY: 'an-admin-key-0123456789-abcdefghijk',
  }
  const { page, client } = await openDashboard(t, settings, { isSignedIn: false })
  const { id } = await aLink(client)
  const order = await client.createOrder({ order_number: '#1', assets: [id] })
  const { secret } = await client.createKey({ name: 'reader', scope: 'read' })
  await page.goto(`/orders/${order.id}`)
  await signIn(page, secret)
  await page.getByRole('row', { name: /score\.pdf/ }).waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'URL' }).count(), 0)
  for (const name of [
    'Extend or change',
    'Hold',
    'Revoke',
    'Attach files',
    'Detach score.pdf',
    'Edit products',
    'Send e-mail',
  ]) {
    assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
  }
})

test('a file and a product are shared, and the asset shows who has downloaded it', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const [product] = await client.putProducts([
    { product_id: 1, variant_id: 1, name: 'Course', variant_name: '', sku: 'C', vendor: '' },
  ])
  const asset = await aLink(client)
  await client.bulk({ action: 'attach', ids: [asset.id], product_ids: [1] })
  await page.goto(`/assets/${asset.id}`)
  await page.getByText('No downloads yet').waitFor()
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Label').fill('For the press')
  await dialog.getByLabel('E-mail').fill('press@example.com')
  await dialog.getByLabel('Maximum downloads per file').fill('2')
  await assertAccessible(page, 'sharing a file', DIALOG)
  await dialog.getByRole('button', { name: 'Create URL' }).click()
  await dialog.getByRole('img', { name: 'QR code of the download page' }).waitFor()
  const url = await dialog.getByRole('textbox', { name: 'URL' }).inputValue()
  const found = await client.orders({ search: 'press', with_assets: true }).page()
  const [shared] = found.data
  assert.ok(shared)
  assert.deepEqual(
    [shared.url, shared.email, shared.max_downloads, shared.assets.map(({ id }) => id)],
    [url, 'press@example.com', 2, [asset.id]],
  )
  await dialog.getByRole('button', { name: 'Send e-mail' }).click()
  await page.getByText('The e-mail will be sent').waitFor()
  const [mail] = (await client.mails({ order: shared.id }).page()).data
  assert.deepEqual([mail?.kind, mail?.recipient], ['files_ready', 'press@example.com'])
  await assertAccessible(page, 'a shared file', DIALOG)
  await dialog.getByRole('button', { name: 'Close' }).last().click()

  await client.startDownload(shared.id, asset.id)
  await page.getByRole('row', { name: /For the press/ }).waitFor()
  await page.getByText(/^1 download from /).waitFor()
  await assertAccessibleAtAllWidths(page, 'the downloads of an asset')
  await openPage(page, '/orders/downloads')
  await page.getByRole('row', { name: 'score.pdf 1' }).waitFor()
  await page.getByLabel('Period').selectOption('Last 7 days')
  await assertAccessibleAtAllWidths(page, 'the downloads of the account')

  await openPage(page, `/products/${product?.id}`)
  await page.getByRole('button', { name: 'Share' }).click()
  await dialog.getByRole('button', { name: 'Create URL' }).click()
  await dialog.getByRole('link', { name: 'Open the order' }).click()
  await page.getByRole('row', { name: 'Course 1 0' }).waitFor()
})

/** One pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test('the settings have the name, logo, color, help and default limit of the download pages', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const logo = await client.upload(PNG, { name: 'logo.png' })
  await page.goto('/settings')
  const section = page.getByRole('region', { name: 'Download pages' })
  await section.getByLabel('Name').fill('Ada’s music')
  await section.getByRole('textbox', { name: 'Color of the buttons' }).fill('#ffee00')
  await section.getByText('The button is hard to see on a light page').waitFor()
  await section.getByRole('textbox', { name: 'Color of the buttons' }).fill('#7b2d8b')
  await section.getByText('The button is hard to see').waitFor({ state: 'hidden' })
  await section.getByLabel('Help for buyers').fill('Write to us.')
  await section.getByLabel('E-mail for buyers').fill('help@example.com')
  await section.getByLabel('Default: maximum downloads per file').fill('7')
  await section.getByLabel('Logo', { exact: true }).first().fill('logo')
  await page.getByRole('option', { name: 'logo.png' }).click()
  await page.keyboard.press('Escape')
  await assertAccessibleAtAllWidths(page, 'the settings of download pages')
  await section.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The download pages are changed').waitFor()
  assert.deepEqual(await client.branding(), {
    name: 'Ada’s music',
    logo: logo.id,
    color: '#7b2d8b',
    help_text: 'Write to us.',
    help_email: 'help@example.com',
    max_downloads: 7,
  })
  await page.reload()
  await section.getByText('logo.png').first().waitFor()
})
