import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { storeFiles, storeProducts, untilRows } from './support/assets.ts'
import { assertAccessible } from './support/axe.ts'
import {
  missingForBrowser,
  openDashboard,
  openPage,
  skipUnlessCi,
  until,
} from './support/dashboard.ts'

const NO_BROWSER = await missingForBrowser()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Whether all of the text is inside its element. */
function fits(element: unknown): boolean {
  const { scrollWidth, clientWidth } = element as { scrollWidth: number; clientWidth: number }
  return scrollWidth <= clientWidth
}

test('deleted assets are restored by undo or from the trash, or deleted forever', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  // Without events, the page does not notice changes by others, and offers actions that are no longer possible.
  await page.route('**/api/v1/events*', (route) => route.abort())
  const long = 'Templates for posters of the summer collection.zip'
  const names = ['a.txt', 'b.txt', 'c.txt', long]
  const assets = await storeFiles(
    client,
    names.map((name) => ({ name })),
  )
  const [first, second] = assets
  const [product] = await storeProducts(client, ['E-book'])
  await client.attach(first?.id ?? '', { products: [product?.id ?? ''] })
  const changes: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') changes.push(`${request.method()} ${request.postData()}`)
  })
  await page.goto('/')
  await page.getByRole('checkbox', { name: 'Select all on this page' }).click()
  await button(page, 'Delete').click()
  await page.getByRole('dialog').getByText('You can restore them from the trash').waitFor()
  await button(page, 'Delete 4 assets').click()
  await page.getByText('4 assets deleted').waitFor()
  await page.getByText('Drop files here').waitFor()
  await page.getByText('Deleted files can be restored from the trash.').waitFor()
  await button(page, 'Undo').press('Enter')
  await page.getByText('4 assets restored').waitFor()
  await untilRows(page, names.toReversed())
  // Each action is one request for all assets.
  assert.deepEqual(
    changes.map((change) => change.slice(0, 25)),
    ['POST {"action":"delete","', 'POST {"action":"restore",'],
  )

  await page.getByRole('link', { name: 'a.txt' }).click()
  await page.getByText('E-book').waitFor()
  await button(page, 'Delete').click()
  await button(page, 'Delete asset').click()
  await page.getByText('a.txt deleted').waitFor()
  await page.getByRole('link', { name: 'Trash' }).click()
  await page.getByRole('heading', { name: 'Trash', level: 1 }).waitFor()
  const activity = page.getByRole('main').getByRole('link', { name: 'Activity' })
  assert.equal(await activity.getAttribute('href'), '/activity?show=asset.deleted')
  await button(page, 'Restore a.txt').click()
  await page.getByText('a.txt restored').waitFor()
  assert.equal(
    await button(page, 'Undo').count(),
    0,
    'after the asset is restored, undoing its deletion is no longer offered',
  )
  await client.bulk({ action: 'delete', ids: assets.map(({ id }) => id) })
  await page.reload()
  const rows = page.locator('tbody tr')
  await until('the trash is listed', async () => (await rows.count()) === 4)
  await assertAccessible(page, 'the trash')
  await page.setViewportSize({ width: 390, height: 844 })
  const facts = rows.first().getByText('until')
  await facts.waitFor()
  assert.ok(await facts.evaluate(fits), 'on a phone, no button covers the text')
  assert.ok(await rows.getByText(long).evaluate(fits), 'on a phone, a long name is wrapped')
  await page.setViewportSize({ width: 820, height: 1180 })
  await page.getByRole('columnheader', { name: 'Removed after' }).waitFor()
  await page.setViewportSize({ width: 1280, height: 720 })
  await page.getByRole('searchbox', { name: 'Search the trash' }).fill('a.tx')
  await page.getByRole('status').getByText('1 asset found').waitFor()
  await button(page, 'Restore a.txt').press('Enter')
  await page.getByText('a.txt restored').waitFor()
  await page.getByText('No matching assets').waitFor()
  assert.equal((await client.asset(first?.id ?? '', { with_products: true })).products?.length, 1)
  // The page shows the list from before, and reads it again. Afterward, it does not notice the deletion.
  const listed = page.waitForResponse((response) => response.url().includes('trashed=true'))
  await button(page, 'Clear search and filters').click()
  await (await listed).finished()
  await until('the list is read again', async () => (await rows.count()) === 3)
  await button(page, 'Restore b.txt').waitFor()
  await client.delete(second?.id ?? '', { permanent: true })
  await button(page, 'Restore b.txt').click()
  await page.getByText('It is no longer in the trash.').waitFor()
  const failure = page.getByRole('alert').filter({ hasText: 'Could not restore' })
  await failure.getByRole('button', { name: 'Dismiss' }).click()
  await button(page, 'Delete c.txt forever').click()
  await page.getByRole('dialog').getByText('This cannot be undone').waitFor()
  await assertAccessible(page, 'the dialog to delete forever')
  await button(page, 'Delete forever').click()
  await page.getByText('c.txt deleted forever').waitFor()
  await until('one asset remains', async () => (await rows.count()) === 1)
  await client.bulk({ action: 'delete', ids: [first?.id ?? ''] })
  await storeFiles(client, [{ name: 'e.txt' }, { name: 'f.txt' }, { name: 'g.txt' }])
  await client.deleteAll()
  await page.reload()
  await until('five assets are listed', async () => (await rows.count()) === 5)
  changes.length = 0
  await page.getByRole('checkbox', { name: 'Select e.txt' }).click()
  await page.getByRole('checkbox', { name: 'Select f.txt' }).click()
  const bar = page.getByRole('region', { name: 'Selection' })
  await bar.getByText('2 assets selected').waitFor()
  await assertAccessible(page, 'selected assets in the trash')
  await bar.getByRole('button', { name: 'Restore' }).click()
  await page.getByText('2 assets restored').waitFor()
  await bar.waitFor({ state: 'detached' })
  assert.equal(changes.length, 1, 'one request restores all of them')
  await until('three assets remain', async () => (await rows.count()) === 3)
  changes.length = 0
  await page.getByRole('checkbox', { name: 'Select a.txt' }).click()
  await page.getByRole('checkbox', { name: 'Select g.txt' }).click()
  await bar.getByRole('button', { name: 'Delete forever' }).click()
  await page.getByRole('dialog').getByText('Delete 2 assets forever?').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete forever' }).click()
  await page.getByText('2 assets deleted forever').waitFor()
  assert.equal(changes.length, 1, 'one request deletes all of them')
  await bar.waitFor({ state: 'detached' })
  await until('one asset remains', async () => (await rows.count()) === 1)
  await button(page, 'Empty trash').click()
  await assertAccessible(page, 'the dialog to empty the trash')
  await page.getByRole('dialog').getByRole('button', { name: 'Empty trash' }).click()
  await page.getByText('The trash is empty').waitFor()
  await assertAccessible(page, 'the empty trash')
  const { trash, assets: count } = await client.account()
  assert.deepEqual([trash, count], [0, 2])
})

test('without a trash, the dashboard does not offer to restore assets', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t, { STOWAGE_TRASH_FOR: '0' })
  await storeFiles(client, [{ name: 'a.txt' }])
  await page.goto('/storage')
  await page.getByText('Older versions count as stored.').waitFor()
  assert.equal(await page.getByText(/trash/i).count(), 0)
  await page.getByRole('link', { name: 'Assets', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Select a.txt' }).click()
  await button(page, 'Delete').click()
  await page.getByRole('dialog').getByText('It will be deleted forever').waitFor()
  await button(page, 'Delete asset').click()
  await page.getByText('a.txt deleted').waitFor()
  assert.equal(await button(page, 'Undo').count(), 0)
  await openPage(page, '/trash')
  await page.getByText('This service has no trash').waitFor()
  assert.equal(await page.getByRole('link', { name: 'Trash' }).count(), 0)
})
