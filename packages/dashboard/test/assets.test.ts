import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { rowNames, storeFiles, storeProducts } from './support/assets.ts'
import { missingForBrowser, openDashboard, skipUnlessCi, until } from './support/dashboard.ts'

const NO_BROWSER = await missingForBrowser()

/** Waits until the table has exactly these rows. */
async function untilRows(page: Page, names: string[]): Promise<void> {
  let rows: string[] = []
  await until('the rows', async () => {
    rows = await rowNames(page)
    return rows.join() === names.join()
  }).catch(() => assert.deepEqual(rows, names))
}

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
  await page.getByRole('button', { name: 'Name' }).click()
  await untilRows(page, ['a link', 'Apple.txt', 'banana.txt', 'cherry.txt'])
  assert.equal(new URL(page.url()).search, '?sort=filename')
  await page.getByRole('button', { name: 'Name' }).click()
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

  // By words of the file and of its product, in any order.
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
  await page.goto('/?page=99')
  await page.getByText('101 to 120 of 120').waitFor()
  await page.getByRole('heading', { name: 'Assets' }).click()
  await page.keyboard.press('/')
  await page.keyboard.type('119')
  await until('the first page', () => new URL(page.url()).search === '?search=119')
  await page.getByRole('status').getByText('1 asset found').waitFor()

  await page.goto('/?sort=filename&page=2')
  await page.getByRole('status').getByText('120 assets').waitFor()
  await page.evaluate('scrollTo(0, 1300)')
  const header = await page.getByRole('columnheader', { name: 'Name' }).boundingBox()
  assert.ok((header?.y ?? 0) >= 50 && (header?.y ?? 0) < 70, `the header is at ${header?.y}`)
  const opened = page.getByRole('row', { name: 'link 080' })
  const top = await scrollTop(page)
  // Anywhere in the row, here far from its name.
  const row = await opened.boundingBox()
  await page.mouse.click((row?.x ?? 0) + (row?.width ?? 0) - 5, (row?.y ?? 0) + 5)
  await page.getByRole('heading', { name: 'link 080', level: 1 }).waitFor()
  assert.equal(await scrollTop(page), 0)
  await page.getByRole('link', { name: 'Next asset' }).click()
  await page.getByRole('heading', { name: 'link 081', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Previous asset' }).click()
  await page.getByRole('heading', { name: 'link 080', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'All assets' }).click()
  await until('the scroll position', async () => (await scrollTop(page)) === top)
  assert.equal(new URL(page.url()).search, '?sort=filename&page=2')
  await page.getByRole('link', { name: 'Storage' }).click()
  await page.getByRole('link', { name: 'Assets', exact: true }).click()
  await until('the scroll position', async () => (await scrollTop(page)) === top)
  await page.getByRole('link', { name: 'link 080' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete asset' }).click()
  await page.getByRole('status').getByText('119 assets').waitFor()
  assert.equal(new URL(page.url()).search, '?sort=filename&page=2')
  assert.equal(await scrollTop(page), top)

  // From the last asset of a page to the first one of the next page.
  await page.goto('/?sort=filename')
  await page.getByRole('link', { name: 'link 050' }).click()
  await page.getByRole('link', { name: 'Next asset' }).click()
  await page.getByRole('heading', { name: 'link 051', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'All assets' }).click()
  await page.getByText('51 to 100 of 119').waitFor()
})

const IS_LAST_OPTION_VISIBLE = `(() => {
  const option = [...document.querySelectorAll('[role=option]')].at(-1)
  if (option === undefined) return false
  const { x, y, width, height } = option.getBoundingClientRect()
  return option.contains(document.elementFromPoint(x + width / 2, y + height - 2))
})()`

test('several assets are selected, also as a range, attached to products and deleted', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await storeFiles(
    client,
    ['one', 'two', 'three', 'four', 'five'].map((name) => ({ name })),
  )
  await storeProducts(client, ['Guide', 'Poster', 'Mug'])
  await page.goto('/')
  await page.getByRole('checkbox', { name: 'Select five' }).click()
  await page.getByRole('checkbox', { name: 'Select three' }).click({ modifiers: ['Shift'] })
  await page.getByText('3 assets selected').waitFor()
  await page.getByRole('button', { name: 'Attach to products' }).click()
  const picker = page.getByRole('combobox', { name: 'Products' })
  await until('the picker has the focus', () =>
    picker.evaluate((element) => element === document.activeElement),
  )
  await picker.click()
  await until('the last option is not clipped by the dialog', () =>
    page.evaluate<boolean>(IS_LAST_OPTION_VISIBLE),
  )
  // While the service is searching, products without the words cannot be chosen by mistake.
  const held = Promise.withResolvers<void>()
  await page.route(/search=post/, (route) => held.promise.then(() => route.continue()))
  await page.keyboard.type('post')
  await page.getByRole('option', { name: 'Guide' }).waitFor({ state: 'detached' })
  await page.getByRole('option', { name: 'Poster' }).click()
  held.resolve()
  await picker.fill('SKU-3')
  await page.getByRole('option', { name: 'Mug' }).click()
  await page.getByRole('button', { name: 'Attach', exact: true }).click()
  await page.getByText('3 assets attached to 2 products').waitFor()
  const linked = await client.assets({ linked: true, with_products: true, sort: 'filename' }).page()
  assert.deepEqual(
    linked.data.map(({ filename, products }) => [
      filename,
      products?.map(({ name }) => name).toSorted(),
    ]),
    ['five', 'four', 'three'].map((name) => [name, ['Mug', 'Poster']]),
  )

  await page.getByRole('checkbox', { name: 'Select five' }).click()
  await page.getByRole('button', { name: 'Select all 5' }).click()
  await page.getByText('5 assets selected').waitFor()
  await page.getByRole('button', { name: 'Detach', exact: true }).click()
  const detaching = page.getByRole('dialog', { name: 'Detach 5 assets from products' })
  await detaching.getByRole('checkbox', { name: 'Mug' }).click()
  await detaching.getByRole('button', { name: 'Detach' }).click()
  await page.getByText('3 assets detached from 1 product').waitFor()
  const ofMug = () => client.assets({ sku: 'SKU-3' }).page()
  assert.equal((await ofMug()).meta.total, 0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Attached again').waitFor()
  assert.equal((await ofMug()).meta.total, 3)

  await page.getByRole('checkbox', { name: 'Select all on this page' }).click()
  await page.getByRole('checkbox', { name: 'Select one' }).click()
  await page.getByText('4 assets selected').waitFor()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete 4 assets?' })
  for (const name of ['five', 'two', 'Poster', 'Mug']) await dialog.getByText(name).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  assert.equal((await client.account()).assets, 5)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByRole('button', { name: 'Delete 4 assets' }).click()
  await untilRows(page, ['one'])
  assert.equal((await client.account()).assets, 1)
})

test('an asset that is already deleted does not prevent the deletion of the others', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const [gone] = await storeFiles(client, [{ name: 'gone' }, { name: 'here' }])
  await page.goto('/')
  await page.getByRole('checkbox', { name: 'Select all on this page' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await client.delete(gone?.id ?? '')
  await page.getByRole('button', { name: 'Delete 2 assets' }).click()
  await page.getByText('2 assets deleted').waitFor()
})

test('closing the dialog during a deletion keeps the assets that are not deleted yet', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const names = Array.from({ length: 9 }, (_, index) => `${index}`)
  await storeFiles(
    client,
    names.map((name) => ({ name })),
  )
  const held: Route[] = []
  await page.route('**/api/v1/assets/*', (route) =>
    route.request().method() === 'DELETE' ? void held.push(route) : route.continue(),
  )
  await page.goto('/')
  await page.getByRole('checkbox', { name: 'Select all on this page' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete 9 assets' }).click()
  await until('six deletions are running', () => held.length === 6)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  for (const route of held) await route.continue().catch(() => {})
  await page.reload()
  await untilRows(page, names.toReversed())
  assert.equal(held.length, 6)
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

test('the previous rows stay while a response is slow, and outdated requests are aborted', async (t) => {
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
