import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page, Route } from 'playwright-core'
import { storeFiles, untilRows } from './support/assets.ts'
import { assertAccessible } from './support/axe.ts'
import {
  cleanUp,
  missingForBrowser,
  openDashboard,
  openPage,
  skipUnlessCi,
  until,
} from './support/dashboard.ts'

const NO_BROWSER = await missingForBrowser()
const KEYS = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: 'an-admin-key-0123456789-abcdefghijk' }

test('a file that is uploaded in one browser appears in another, and a deleted one disappears', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, client, service } = await openDashboard(t)
  await page.setViewportSize({ width: 1280, height: 400 })
  const names = Array.from({ length: 20 }, (_, index) => `file ${index}.txt`)
  const assets = await storeFiles(
    client,
    names.map((name) => ({ name })),
  )
  await page.goto('/')
  await untilRows(page, names.toReversed())
  await page.getByRole('checkbox', { name: 'Select file 19.txt' }).click()
  await page.evaluate('document.scrollingElement.scrollTop = 300')
  const middle = page.getByRole('link', { name: 'file 10.txt' })
  const position = async () => Math.round((await middle.boundingBox())?.y ?? 0)
  const before = await position()

  const other = await context.browser()?.newContext({ baseURL: service.baseUrl })
  cleanUp(t, () => other?.close())
  const uploader = (await other?.newPage()) as Page
  await uploader.goto('/')
  await uploader.getByText('file 19.txt').waitFor()
  const file = { name: 'new.txt', mimeType: 'text/plain', buffer: Buffer.from('new') }
  await uploader.locator('input[type=file]').first().setInputFiles(file)
  await uploader.getByRole('link', { name: 'new.txt' }).first().waitFor()
  const uploadedAt = performance.now()
  await page.getByRole('link', { name: 'new.txt' }).waitFor()
  const delayMs = Math.round(performance.now() - uploadedAt)
  t.diagnostic(`the other browser shows the file after ${delayMs} ms`)
  await untilRows(page, ['new.txt', ...names.toReversed()])
  // Nothing else on the page has changed.
  await page.getByText('1 asset selected').waitFor()
  const moved = Math.abs((await position()) - before)
  assert.ok(moved <= 1, `the rows in view moved by ${moved} pixels`)

  await client.delete(assets[0]?.id ?? '')
  await untilRows(page, ['new.txt', ...names.slice(1).toReversed()])
  await uploader.locator('tbody').getByRole('link', { name: 'new.txt' }).click()
  await uploader.getByRole('heading', { name: 'new.txt' }).waitFor()
  const [{ id = '' } = {}] = (await client.assets({ filename: 'new.txt' }).page()).data
  await client.change(id, { filename: 'renamed.txt' })
  await uploader.getByRole('heading', { name: 'renamed.txt' }).waitFor()
})

/**
 * The first response to such a request is read from the service at once, but only reaches the page after `release`. Returns
 * once the service has responded.
 */
async function holdResponse(page: Page, url: RegExp, open: () => Promise<unknown>) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: read, resolve: onRead } = Promise.withResolvers<void>()
  await page.route(
    url,
    async (route: Route) => {
      const response = await route.fetch()
      onRead()
      await released
      await route.fulfill({ response })
    },
    { times: 1 },
  )
  const requested = page.waitForRequest(url)
  await open()
  await requested
  await read
  return { release }
}

for (const { list, url, open, row } of [
  {
    list: 'activity',
    url: /events\?.*type=/,
    open: '/activity?show=asset.ready',
    row: 'late',
  },
  {
    list: 'assets',
    url: /assets\?.*search=/,
    open: '/?search=late',
    row: 'late',
  },
  {
    list: 'products',
    url: /product-groups\?.*search=/,
    open: '/products?search=late',
    row: 'Late pack',
  },
]) {
  test(`an event that arrives while the list of ${list} loads with a new filter is not missed`, async (t) => {
    if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
    const { page, client } = await openDashboard(t)
    const stream = page.waitForResponse(/\/api\/v1\/events/)
    await page.goto('/trash')
    await page.getByRole('heading', { name: 'Trash', exact: true }).waitFor()
    await stream
    const { release } = await holdResponse(page, url, () => openPage(page, open))
    // The page reloads the usage of the account, so it has the events.
    const usage = page.waitForRequest(/\/api\/v1\/account/)
    await client.putProducts([{ product_id: 1, variant_id: 1, name: 'Late pack' }])
    await client.store({ filename: 'late', url: 'https://example.com/a' })
    await usage
    release()
    await page.locator('tbody').getByText(row).first().waitFor()
  })
}

test('a change between the first load of a list and the start of the event stream is not missed', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const { promise: canListen, resolve: listen } = Promise.withResolvers<void>()
  await page.route(/\/api\/v1\/events/, async (route) => {
    await canListen
    await route.continue()
  })
  const { release } = await holdResponse(page, /\/api\/v1\/assets\?/, () => page.goto('/'))
  await client.store({ filename: 'between', url: 'https://example.com/a' })
  const stream = page.waitForResponse(/\/api\/v1\/events/)
  listen()
  await stream
  release()
  await page.getByRole('link', { name: 'between' }).waitFor()
})

test('a list that takes longer to load than the interval between events is shown', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const { id } = await client.store({ filename: 'first', url: 'https://example.com/a' })
  const stream = page.waitForResponse(/\/api\/v1\/events/)
  await page.goto('/')
  await stream
  await untilRows(page, ['first'])
  await page.route(/\/api\/v1\/assets\?/, async (route) => {
    await pause(1500)
    await route.continue()
  })
  let isShown = false
  const shown = page.getByText(/^name \d/).waitFor({ timeout: 20_000 })
  const settled = shown.finally(() => {
    isShown = true
  })
  for (let change = 0; !isShown; change += 1) {
    await client.change(id, { filename: `name ${change}` })
  }
  await settled
})

test('many changes load the list at most twice per second', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await storeFiles(client, [{ name: 'first.txt' }])
  const stream = page.waitForResponse(/\/api\/v1\/events/)
  await page.goto('/')
  await stream
  await untilRows(page, ['first.txt'])
  let requests = 0
  page.on('request', (request) => {
    if (/\/api\/v1\/assets\?/.test(request.url())) requests += 1
  })
  const start = performance.now()
  for (let index = 0; index < 40; index += 1) {
    await client.store({ filename: `link ${index}`, url: 'https://example.com/a.zip' })
  }
  await page.getByRole('link', { name: 'link 39' }).waitFor()
  const seconds = (performance.now() - start) / 1000
  assert.ok(requests <= 2 * seconds + 2, `${requests} requests in ${seconds} s`)
})

test('the activity shows who did what, can be filtered by kind, and shows new events without a reload', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t, KEYS)
  await page.goto('/activity')
  await page.getByText('No activity yet').waitFor()
  await assertAccessible(page, 'no activity')
  const [asset] = await storeFiles(client, [{ name: 'book.pdf' }])
  await page.getByRole('link', { name: 'book.pdf' }).first().waitFor()
  await client.createKey({ name: 'shop', scope: 'read' })
  await page.locator('tbody').getByText('API key created').waitFor()
  await page.getByRole('cell', { name: 'STOWAGE_ADMIN_KEY' }).first().waitFor()
  await client.delete(asset?.id ?? '')
  await page.locator('tbody').getByText('Deleted', { exact: true }).waitFor()
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await assertAccessible(page, `activity at ${width}`)
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    assert.equal(await page.evaluate(overflow), 0)
  }
  // No event of this type occurs, so nothing is sent.
  const types = ['account.storage_low' as const]
  const hook = await client.createWebhook({ url: 'https://shop.example/hook', types })
  await page.locator('tbody').getByText('Webhook added').waitFor()
  await client.changeWebhook(hook.id, { enabled: false })
  await page.locator('tbody').getByText('Webhook disabled').waitFor()
  await page.getByLabel('Action').selectOption('All keys and webhooks')
  await until(
    'only events of keys and webhooks are listed',
    async () => (await page.locator('tbody tr').count()) === 3,
  )
  await page.getByText('https://shop.example', { exact: true }).first().waitFor()
  await page.getByLabel('Action').selectOption('Storage almost full')
  await page.getByText('No matching activity').waitFor()
  await page.getByText('with the filter “Storage almost full”').waitFor()
  await page.getByRole('button', { name: 'Clear search and filters' }).click()

  for (let index = 0; index < 60; index += 1) {
    await client.putProducts([{ product_id: index + 1, variant_id: 1, name: `Pack ${index}` }])
  }
  await page.getByText('Pack 59').waitFor()
  await page.getByRole('link', { name: 'Older' }).click()
  await page.getByText('book.pdf').first().waitFor()
  assert.equal(await page.getByRole('link', { name: 'Older' }).count(), 0)
  await page.getByRole('link', { name: 'Newest' }).click()
  await page.getByText('Pack 59').waitFor()
  await page.getByRole('link', { name: 'Pack 58' }).click()
  await page.getByRole('heading', { name: 'Pack 58' }).waitFor()
})
