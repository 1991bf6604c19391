import { type TestContext, test } from 'node:test'
import {
  type Dashboard,
  missingForBrowser,
  openDashboard,
  skipUnlessCi,
} from './support/dashboard.ts'

const NO_BROWSER = await missingForBrowser()

/** A dashboard in a browser with this language. */
const openIn = (t: TestContext, locale: string) =>
  openDashboard(t, {}, { browser: { locale, viewport: { width: 1280, height: 844 } } })

const waitForTitle = ({ page }: Dashboard, name: string) =>
  page.getByRole('heading', { name, level: 1, exact: true }).waitFor()

test('the dashboard starts in the language of the browser', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const german = await openIn(t, 'de-AT')
  await german.page.goto('/trash')
  await waitForTitle(german, 'Papierkorb')
  await german.page.locator('html[lang=de]').waitFor()
  await german.page.waitForFunction('document.title === "Papierkorb · Stowage"')
})

test('the dashboard is English if it has no texts for any language of the browser', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const dutch = await openIn(t, 'nl-NL')
  await dutch.page.goto('/trash')
  await waitForTitle(dutch, 'Trash')
  await dutch.page.locator('html[lang=en]').waitFor()
})

test('another language is chosen in the header, keeps the page, and is remembered in all tabs', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, client } = await openDashboard(t)
  const asset = await client.upload(Buffer.from('a'), { name: 'a.txt' })
  await client.bulk({ action: 'delete', ids: [asset.id] })
  const other = await context.newPage()
  await other.goto('/trash')
  await page.goto('/trash?search=a')
  await page.getByLabel('Select a.txt').check()
  await page.getByRole('button', { name: 'Language: English' }).click()
  await page.getByRole('menuitemradio', { name: '日本語' }).click()
  await page.getByRole('heading', { name: 'ゴミ箱', level: 1 }).waitFor()
  // The search and the selection are still there.
  await page.getByLabel('a.txt を選択').and(page.locator(':checked')).waitFor()
  await page.getByRole('button', { name: '言語: 日本語' }).waitFor()
  await other.getByRole('heading', { name: 'ゴミ箱', level: 1 }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'ゴミ箱', level: 1 }).waitFor()
})

test('a dashboard whose texts cannot be loaded is English', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page } = await openIn(t, 'fr-FR')
  await page.route('**/app/fr-*.js', (route) => route.abort())
  await page.goto('/trash')
  await page.getByRole('heading', { name: 'Trash', level: 1 }).waitFor()
  await page.unroute('**/app/fr-*.js')
  await page.route('**/app/es-*.js', (route) => route.abort())
  await page.getByRole('button', { name: 'Language: English' }).click()
  await page.getByRole('menuitemradio', { name: 'Español' }).click()
  await page.getByText('Could not load this language').waitFor()
})
