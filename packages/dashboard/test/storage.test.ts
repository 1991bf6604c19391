import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { missingForBrowser, openDashboard, skipUnlessCi } from './support/dashboard.ts'
import { HOSTILE, LONG, recordDialogs } from './support/products.ts'

const NO_BROWSER = await missingForBrowser()

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const tidy = (texts: string[]) => texts.map((text) => text.replaceAll(/\s+/g, ' ').trim())

test('the storage page shows the used storage, in total and by type, and the largest files', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, service } = await openDashboard(t, { STOWAGE_PLAN_STORAGE: '10kB' })
  const dialogs = recordDialogs(page)
  const files = [
    { name: HOSTILE, mime: 'video/mp4', size: 3000 },
    { name: LONG, mime: 'image/png', size: 500 },
    { name: 'b.png', mime: 'image/png', size: 1000 },
  ]
  for (const { name, mime, size } of files) {
    await client.upload(new Uint8Array(size), { name, mime })
  }
  const { id } = await client.upload(new Uint8Array(700), { name: 'deleted.png' })
  await client.delete(id)
  await client.store({ filename: 'a link', url: 'https://example.com/', size: '5GB' })
  const file = { name: 'unfinished.zip', size: 2000, mime: 'application/zip' }
  await fetch(`${service.baseUrl}/api/v1/assets/signed`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(file),
  })
  await page.goto('/storage')
  const plan = section(page, 'Plan')
  await plan.getByText('6.5 kB').waitFor()
  assert.deepEqual(tidy(await plan.locator('dl > div').allInnerTexts()), [
    'Stored 4.5 kB',
    'Reserved by uploads 2 kB',
    'In the trash 700 B',
    'Available 3.5 kB',
  ])
  await plan.getByText('of 10 kB used (65%)').waitFor()
  const types = section(page, 'By type')
  await types.getByText('Video').waitFor()
  assert.deepEqual(tidy(await types.locator('tbody tr').allInnerTexts()), [
    'Video 1 3 kB 67%',
    'Images 2 1.5 kB 33%',
    'URLs 1 0 B 0%',
  ])
  // The bars are as long as the shares: 3, 1.5 and 0 of 4.5 kB.
  const lengthsIn = (region: Locator) =>
    region
      .locator('[class*=_bar_]')
      .evaluateAll((bars) =>
        bars.map((bar) => Math.round(parseFloat(Reflect.get(bar, 'style').width))),
      )
  assert.deepEqual(await lengthsIn(types), [67, 33, 0])
  const largest = section(page, 'Largest files')
  assert.deepEqual(await lengthsIn(largest), [67, 22, 11])
  await largest.getByText('b.png').waitFor()
  assert.deepEqual(tidy(await largest.getByRole('listitem').allInnerTexts()), [
    `${HOSTILE} 3 kB`,
    'b.png 1 kB',
    `${LONG} 500 B`,
  ])
  await largest.getByRole('link', { name: 'b.png' }).click()
  await page.getByRole('heading', { name: 'b.png' }).waitFor()
  assert.deepEqual(dialogs, [])
})

test('an empty account and a plan that is almost full are shown as such', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t, { STOWAGE_PLAN_STORAGE: '1kB' })
  await page.goto('/storage')
  await page.getByText('No assets yet.').waitFor()
  await page.getByText('No files yet.').waitFor()
  await client.upload(new Uint8Array(950), { name: 'a.zip' })
  await page.reload()
  await page.getByText('Storage is almost full').waitFor()
})

test('a section that cannot be loaded shows the reason, and loads on another attempt', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page } = await openDashboard(t)
  // The client does not retry this error.
  const body = { code: 'internal', message: 'It went wrong here.' }
  await page.route('**/account/usage', (route) => route.fulfill({ status: 400, json: body }))
  await page.goto('/storage')
  const types = section(page, 'By type')
  await types.getByText('It went wrong here.').waitFor()
  await section(page, 'Plan').getByText('of 1 TB used').waitFor()
  await page.unroute('**/account/usage')
  await types.getByRole('button', { name: 'Try again' }).click()
  await types.getByText('No assets yet.').waitFor()
})
