import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeClient } from '@stowage/client/node'
import type { Page } from 'playwright-core'
import { assertAccessible } from './support/axe.ts'
import { missingForBrowser, openDashboard, skipUnlessCi, until } from './support/dashboard.ts'
import { aFile, watchParts } from './support/uploads.ts'

const NO_BROWSER = await missingForBrowser()
const tray = (page: Page) => page.getByRole('region', { name: 'Uploads' })
const chooser = (page: Page) => page.getByLabel('Files to upload')
const alertOf = (page: Page) => page.getByRole('alert').filter({ hasText: 'View storage usage' })
const dismiss = (page: Page) => alertOf(page).getByRole('button', { name: 'Dismiss' })
const LONG_NAME = 'a very long name '.repeat(8).trim()
const aSmallPlan = { STOWAGE_PLAN_STORAGE: '1MB' }

async function storedNames(client: NodeClient): Promise<string> {
  const { data } = await client.assets({ sort: 'filename' }).page()
  return data.map(({ filename }) => filename).join()
}

test('of the chosen files, those that fit are uploaded, and the others are named and not sent', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, service, client } = await openDashboard(t, aSmallPlan)
  const parts = await watchParts(context, service)
  await page.goto('/')
  await chooser(page).setInputFiles([
    await aFile(t, 'large.bin', 700_000),
    await aFile(t, 'medium.bin', 400_000),
    await aFile(t, `${LONG_NAME}.bin`, 2_000_000),
    await aFile(t, 'small.bin', 100_000),
  ])
  const alert = alertOf(page)
  await alert.getByText('Not enough storage for these 2 files').waitFor()
  assert.deepEqual(await alert.getByRole('listitem').allInnerTexts(), [
    'medium.bin\n400 kB',
    `${LONG_NAME}.bin\n2 MB`,
  ])
  await alert.getByText('2.4 MB needed, 200 kB available').waitFor()
  await tray(page).getByText('2 files uploaded').first().waitFor()
  assert.equal(await storedNames(client), 'large.bin,small.bin')
  assert.equal(parts.started(), 2)
  await assertAccessible(page, 'files that the plan has no room for')
  await page.setViewportSize({ width: 390, height: 844 })
  // The long name is truncated: it does not push the button out of the tray.
  const [frame, button] = [await tray(page).boundingBox(), await dismiss(page).boundingBox()]
  assert.ok(frame && button && button.x + button.width <= frame.x + frame.width)
  await alert.getByText('2 MB', { exact: true }).click({ trial: true })
  await dismiss(page).click()
  await alert.waitFor({ state: 'detached' })
})

test('the alert follows the storage as others free and take it, and uploads the refused files that fit', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t, aSmallPlan)
  const other = await client.upload(new Blob(['x'.repeat(900_000)]), { name: 'other.bin' })
  await page.goto('/')
  await chooser(page).setInputFiles(await aFile(t, 'a.bin', 500_000))
  const alert = alertOf(page)
  await alert.getByText('Not enough storage for this file').waitFor()
  await chooser(page).setInputFiles([
    await aFile(t, 'b.bin', 400_000),
    await aFile(t, 'c.bin', 300_000),
  ])
  await alert.getByText('Not enough storage for these 3 files').waitFor()
  await alert.getByText('1.2 MB needed, 100 kB available').waitFor()
  await alert.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Still not enough storage').waitFor()
  const warning = alert.getByText('permanently removes the oldest assets from the trash')
  assert.equal(await warning.count(), 0)

  // Its bytes are available, although it can be restored until an upload needs them.
  await client.delete(other.id)
  await alert.getByText('1.2 MB needed, 1 MB available').waitFor()
  await warning.waitFor()
  await alert.getByRole('button', { name: 'Upload 2 files that fit' }).click()
  await tray(page).getByText('2 files uploaded').first().waitFor()
  assert.equal(await storedNames(client), 'a.bin,b.bin')
  await alert.getByText('300 kB needed, 100 kB available').waitFor()

  const [first] = (await client.assets({ search: 'b.bin' }).page()).data
  await client.delete(first?.id ?? '')
  await alert.getByText('Storage is available now').waitFor()
  await alert.getByRole('button', { name: 'Upload 1 file' }).click()
  await tray(page).getByText('3 files uploaded').first().waitFor()
  await alert.waitFor({ state: 'detached' })
  assert.equal(await storedNames(client), 'a.bin,c.bin')
})

test('a file that the service refuses, because another upload took the storage first, is named in the alert', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t, aSmallPlan)
  await page.goto('/')
  await page.getByText('Drop your first file here').waitFor()
  let taken: string | undefined
  await page.route('**/api/v1/assets/signed', async (route) => {
    // It takes the storage after the page has checked it.
    taken ??= (await client.upload(new Blob(['x'.repeat(800_000)]), { name: 'other.bin' })).id
    await route.continue()
  })
  await chooser(page).setInputFiles(await aFile(t, 'mine.bin', 500_000))
  const alert = alertOf(page)
  await alert.getByText('500 kB needed, 200 kB available').waitFor()
  assert.deepEqual(await alert.getByRole('listitem').allInnerTexts(), ['mine.bin\n500 kB'])
  await client.delete(taken ?? '')
  await alert.getByRole('button', { name: 'Upload 1 file' }).click()
  await tray(page).getByText('1 file uploaded').first().waitFor()
  await until('the file is stored', async () => (await storedNames(client)) === 'mine.bin')
})

test('“Cancel all” names the number of uploads, and asks first', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, service } = await openDashboard(t)
  const parts = await watchParts(context, service, 0)
  await page.goto('/')
  await chooser(page).setInputFiles([await aFile(t, 'a.bin', 9), await aFile(t, 'b.bin', 9)])
  await until('both uploads have started', () => parts.started() === 2)
  await tray(page).getByRole('button', { name: 'Cancel all' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel all uploads?' })
  await dialog.getByText('2 uploads').waitFor()
  await dialog.getByRole('button', { name: 'Keep uploading' }).click()
  parts.release()
  await tray(page).getByText('2 files uploaded').first().waitFor()
})
