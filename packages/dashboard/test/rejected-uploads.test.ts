import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { missingForBrowser, openDashboard, skipUnlessCi, until } from './support/dashboard.ts'
import { aFile } from './support/files.ts'
import { watchParts } from './support/parts.ts'

const NO_BROWSER = await missingForBrowser()
const tray = (page: Page) => page.getByRole('region', { name: 'Uploads' })
const chooser = (page: Page) => page.getByLabel('Files to upload')

test('files that do not fit into the plan are rejected before anything is sent, and those that fit can be uploaded', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, service, client } = await openDashboard(t, {
    STOWAGE_PLAN_STORAGE: '1MB',
  })
  const parts = await watchParts(context, service)
  const requests: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') requests.push(request.url())
  })
  await page.goto('/')
  await chooser(page).setInputFiles([
    await aFile(t, 'large.bin', 700_000),
    await aFile(t, 'small.bin', 400_000),
  ])
  const alert = page.getByRole('alert').filter({ hasText: 'Not enough storage' })
  await alert.getByText('These 2 files need 1.1 MB, but only 1 MB is available.').waitFor()
  assert.deepEqual([requests, parts.started()], [[], 0])
  await alert.getByRole('button', { name: 'Upload 1 file that fits' }).click()
  await tray(page).getByText('1 file uploaded').first().waitFor()
  const { data } = await client.assets().page()
  assert.deepEqual(
    data.map(({ filename }) => filename),
    ['large.bin'],
  )

  await chooser(page).setInputFiles(await aFile(t, 'small.bin', 400_000))
  await alert.getByText('“small.bin” needs 400 kB, but only 300 kB is available.').waitFor()
  await alert.getByRole('button', { name: 'Dismiss' }).click()
  await alert.waitFor({ state: 'detached' })
  assert.equal(parts.started(), 1)
})

test('a rejected file stays listed when other files are uploaded', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page } = await openDashboard(t, { STOWAGE_PLAN_STORAGE: '1MB' })
  await page.goto('/')
  await chooser(page).setInputFiles(await aFile(t, 'large.bin', 2_000_000))
  const alert = page.getByRole('alert').filter({ hasText: 'Not enough storage' })
  await alert.getByText('“large.bin” needs 2 MB, but only 1 MB is available.').waitFor()
  await chooser(page).setInputFiles(await aFile(t, 'small.bin', 400_000))
  await tray(page).getByText('1 file uploaded').first().waitFor()
  await alert.getByText('“large.bin” needs 2 MB, but only 600 kB is available.').waitFor()
})

test('an upload that the service rejects for lack of storage can be retried', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, service, client } = await openDashboard(t, {
    STOWAGE_PLAN_STORAGE: '1MB',
  })
  const other = await client.upload(new Blob(['x'.repeat(800_000)]), { name: 'other.bin' })
  await page.goto('/')
  const data = { available: 1_000_000 }
  await page.route('**/api/v1/account', (route) => route.fulfill({ json: { data } }))
  await chooser(page).setInputFiles(await aFile(t, 'mine.bin', 500_000))
  await tray(page).getByText('500 kB needed, 200 kB available.').waitFor()
  const parts = await watchParts(context, service, 0)
  await chooser(page).setInputFiles([await aFile(t, 'a.bin', 9), await aFile(t, 'b.bin', 9)])
  await until('both uploads have started', () => parts.started() === 2)
  await tray(page).getByRole('button', { name: 'Cancel all' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel all uploads?' })
  // “Cancel all” also removes the rejected upload.
  await dialog.getByText('3 uploads').waitFor()
  await dialog.getByRole('button', { name: 'Keep uploading' }).click()
  parts.release()
  await client.delete(other.id)
  await tray(page).getByRole('button', { name: 'Try again: mine.bin' }).click()
  await tray(page).getByText('3 files uploaded').first().waitFor()
})
