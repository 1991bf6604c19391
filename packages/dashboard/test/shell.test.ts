import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDashboard, skipUnlessCi, whyNoBrowser } from './support/dashboard.ts'

const NO_BROWSER = await whyNoBrowser()

test('the first page has its heading', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page } = await openDashboard(t)
  await page.goto('/')
  await page.getByRole('heading', { name: 'Assets' }).waitFor()
})

test('with keys, too', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const settings = {
    STOWAGE_AUTH: 'keys',
    STOWAGE_ADMIN_KEY: 'an-admin-key-0123456789-abcdefghijk',
  }
  const { page, client } = await openDashboard(t, settings)
  await page.goto('/')
  await page.getByRole('heading', { name: 'Assets' }).waitFor()
  assert.equal((await client.account()).assets, 0)
})
