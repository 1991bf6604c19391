import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeClient } from '@stowage/client/node'
import { assertAccessibleAtAllWidths } from './support/axe.ts'
import { missingForBrowser, openDashboard, skipUnlessCi } from './support/dashboard.ts'
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
