import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeManyLinks } from '@stowage/testing/service/shop'
import type { Page } from 'playwright-core'
import { rowNames, storeFiles, storeProducts, untilRows } from './support/assets.ts'
import {
  missingForBrowser,
  openDashboard,
  openPage,
  skipUnlessCi,
  until,
} from './support/dashboard.ts'

const NO_BROWSER = await missingForBrowser()

const search = (page: Page) => page.getByRole('searchbox', { name: 'Search assets' })

test('search, order and filter are kept in the URL, and the back button undoes them', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const [banana] = await storeFiles(client, [
    { name: 'banana.txt', content: 'b' },
    { name: 'Apple.txt', content: 'aaa' },
    { name: 'cherry.txt', content: 'cc' },
  ])
  await client.store({ filename: 'a link', url: 'https://example.com/' })
  const [product] = await storeProducts(client, ['Fruit'])
  await client.attach(banana?.id ?? '', { products: [product?.id ?? ''] })

  await page.goto('/')
  await untilRows(page, ['a link', 'cherry.txt', 'Apple.txt', 'banana.txt'])
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  await untilRows(page, ['a link', 'Apple.txt', 'banana.txt', 'cherry.txt'])
  assert.equal(new URL(page.url()).search, '?sort=filename')
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  await page.getByRole('button', { name: 'Size' }).click()
  await untilRows(page, ['Apple.txt', 'cherry.txt', 'banana.txt', 'a link'])
  assert.equal(new URL(page.url()).search, '?sort=-bytes')
  const header = page.getByRole('columnheader', { name: 'Size' })
  assert.equal(await header.getAttribute('aria-sort'), 'descending')

  await page.getByText('No product', { exact: true }).click()
  await untilRows(page, ['Apple.txt', 'cherry.txt', 'a link'])
  await page.getByText('URLs', { exact: true }).click()
  await untilRows(page, ['a link'])
  await page.getByText('Files', { exact: true }).click()
  await untilRows(page, ['Apple.txt', 'cherry.txt', 'banana.txt'])

  await search(page).pressSequentially('AN', { delay: 30 })
  await untilRows(page, ['banana.txt'])
  await search(page).pressSequentially('an', { delay: 30 })
  await page.getByRole('cell', { name: 'Fruit' }).waitFor()
  await untilRows(page, ['banana.txt'])
  await until('the URL changes', () => page.url().includes('search=ANan'))
  assert.equal(new URL(page.url()).search, '?search=ANan&show=files&sort=-bytes')

  // All text typed without leaving the field is one entry in the history.
  await page.goBack()
  await untilRows(page, ['Apple.txt', 'cherry.txt', 'banana.txt'])
  assert.equal(await search(page).inputValue(), '')
  await page.goBack()
  await untilRows(page, ['a link'])
  await page.goForward()
  await page.goForward()
  await untilRows(page, ['banana.txt'])
  assert.equal(await search(page).inputValue(), 'ANan')
  await page.reload()
  await untilRows(page, ['banana.txt'])

  // The search finds words of the file and of its product, in any order.
  await search(page).fill('rui nana')
  await page.getByText('All', { exact: true }).click()
  await untilRows(page, ['banana.txt'])
  await page.getByRole('button', { name: 'Filter by product' }).click()
  await page.getByRole('combobox', { name: 'Product' }).fill('sku-1')
  await page.getByRole('option', { name: 'Fruit' }).click()
  await search(page).fill('')
  await page.getByRole('status').getByText('1 asset found').waitFor()
  await untilRows(page, ['banana.txt'])

  await search(page).fill('nothing like it')
  await page.getByRole('status').getByText('0 assets found').waitFor({ state: 'attached' })
  await page.getByText('No product', { exact: true }).click()
  await page.getByText('with the filters No product, Product').waitFor()
  await page.getByRole('button', { name: 'Clear search and filters' }).click()
  await untilRows(page, ['Apple.txt', 'cherry.txt', 'banana.txt', 'a link'])
})

const scrollTop = (page: Page) => page.evaluate<number>('scrollY')

test('the list loads one page at a time, every page has a URL, and returning to the list restores its position', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const nameOf = (number: number) => `link ${String(number).padStart(3, '0')}`
  const store = (number: number) =>
    client.store({ filename: nameOf(number), url: `https://example.com/${number}` })
  for (let number = 1; number <= 120; number += 1) await store(number)
  await page.goto('/')
  await page.getByText('1 to 50 of 120').waitFor()
  assert.equal((await rowNames(page)).length, 50)
  await page.getByRole('link', { name: 'Page 3', exact: true }).click()
  await page.getByText('101 to 120 of 120').waitFor()
  assert.equal(new URL(page.url()).search, '?page=3')
  await page.goBack()
  await page.getByText('1 to 50 of 120').waitFor()
  await page.getByRole('link', { name: 'Next page' }).click()
  await page.getByText('51 to 100 of 120').waitFor()
  await openPage(page, '/?page=99')
  await page.getByText('101 to 120 of 120').waitFor()
  await page.getByRole('heading', { name: 'Assets' }).click()
  await page.keyboard.press('/')
  await page.keyboard.type('119')
  await until('the URL has no page', () => new URL(page.url()).search === '?search=119')
  await page.getByRole('status').getByText('1 asset found').waitFor()

  await openPage(page, '/?sort=filename&page=2')
  await page.getByRole('status').getByText('120 assets').waitFor()
  await page.evaluate('scrollTo(0, 1300)')
  const header = await page.getByRole('columnheader', { name: 'Name' }).boundingBox()
  assert.ok((header?.y ?? 0) >= 50 && (header?.y ?? 0) < 70, `the header is at ${header?.y}`)
  const opened = page.getByRole('row', { name: 'link 080' })
  const top = await scrollTop(page)
  // A click anywhere in a row opens its asset. This click is far from the name.
  const row = await opened.boundingBox()
  await page.mouse.click((row?.x ?? 0) + (row?.width ?? 0) - 5, (row?.y ?? 0) + 5)
  await page.getByRole('heading', { name: 'link 080', level: 1 }).waitFor()
  assert.equal(await scrollTop(page), 0)
  await page.getByRole('link', { name: 'Next asset' }).click()
  await page.getByRole('heading', { name: 'link 081', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Previous asset' }).click()
  await page.getByRole('heading', { name: 'link 080', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'All assets' }).click()
  await until('the scroll position is restored', async () => (await scrollTop(page)) === top)
  assert.equal(new URL(page.url()).search, '?sort=filename&page=2')
  await page.getByRole('link', { name: 'Storage' }).click()
  await page.getByRole('link', { name: 'Assets', exact: true }).click()
  await until('the scroll position is restored', async () => (await scrollTop(page)) === top)
  await page.getByRole('link', { name: 'link 080' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete asset' }).click()
  await page.getByRole('status').getByText('119 assets').waitFor()
  assert.equal(new URL(page.url()).search, '?sort=filename&page=2')
  assert.equal(await scrollTop(page), top)

  // The asset after the last one of a page is the first one of the next page.
  await openPage(page, '/?sort=filename')
  await page.getByRole('link', { name: 'link 050' }).click()
  await page.getByRole('link', { name: 'Next asset' }).click()
  await page.getByRole('heading', { name: 'link 051', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'All assets' }).click()
  await page.getByText('51 to 100 of 119').waitFor()
})

test('a list that cannot be loaded shows the reason, and loads on another attempt', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await storeFiles(client, [{ name: 'here.txt' }])
  // The client does not retry this error.
  const response = { status: 400, json: { code: 'internal', message: 'It broke. Try again.' } }
  await page.route('**/api/v1/assets?*', (route) => route.fulfill(response))
  await page.goto('/')
  await page.getByText('It broke. Try again.').waitFor()
  await page.unroute('**/api/v1/assets?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await untilRows(page, ['here.txt'])
})

test('while a response is slow, the previous rows stay, and outdated requests are aborted', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await storeFiles(client, [{ name: 'one.txt' }, { name: 'two.txt' }])
  await page.goto('/')
  await untilRows(page, ['two.txt', 'one.txt'])
  const aborted: string[] = []
  page.on('requestfailed', (request) => {
    aborted.push(new URL(request.url()).searchParams.get('search') ?? '')
  })
  // Only the complete text gets a response.
  await page.route('**/api/v1/assets?*', (route) =>
    route.request().url().includes('search=two') ? route.continue() : undefined,
  )
  await search(page).pressSequentially('t')
  await page.locator('table[aria-busy=true]').waitFor()
  assert.deepEqual(await rowNames(page), ['two.txt', 'one.txt'])
  await search(page).pressSequentially('wo')
  await untilRows(page, ['two.txt'])
  await until('the first request is aborted', () => aborted[0] === 't')
})

test('a search shows at least how many assets match, until all of them are counted', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, service } = await openDashboard(t)
  await storeManyLinks(service, 11_000)
  const { promise: isSeen, resolve: continueCount } = Promise.withResolvers<void>()
  await page.route(/exact_total=true/, async (route) => {
    await isSeen
    await route.continue()
  })
  await page.goto('/?search=zi')
  await page.getByText(/^At least [\d,]+ assets found$/).waitFor()
  await page.getByText(/^1 to 50 of at least [\d,]+$/).waitFor()
  continueCount()
  await page.getByText('11,000 assets found', { exact: true }).waitFor()
  await page.getByText('1 to 50 of 11,000', { exact: true }).waitFor()
})
