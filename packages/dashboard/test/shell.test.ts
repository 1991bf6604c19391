import { test } from 'node:test'
import { openDashboard, skipUnlessCi, whyNoBrowser } from './support/dashboard.ts'

const NO_BROWSER = await whyNoBrowser()

test('the colours are those of the system until people choose, and then stay', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page } = await openDashboard(t, {}, { browser: { colorScheme: 'dark' } })
  await page.goto('/')
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
  await page.getByRole('button', { name: 'Light colours' }).click()
  await page.locator('html[data-mantine-color-scheme=light]').waitFor()
  await page.reload()
  await page.locator('html[data-mantine-color-scheme=light]').waitFor()
  await page.getByRole('button', { name: 'Dark colours' }).waitFor()
})

test('on a phone the menu leads to every page, and closes behind', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const viewport = { width: 390, height: 844 }
  const { page } = await openDashboard(t, {}, { browser: { viewport } })
  await page.goto('/')
  await page.getByRole('button', { name: 'Open the menu' }).click()
  await page.getByRole('link', { name: 'Products' }).click()
  await page.getByRole('heading', { name: 'Products', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Open the menu' }).waitFor()
})
