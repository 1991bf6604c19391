import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { freePort } from '@stowage/testing/machine/ports'
import { startTcpProxy } from '@stowage/testing/proxies/tcp-proxy'
import type { Page } from 'playwright-core'
import { storeFiles } from './support/assets.ts'
import { assertAccessible } from './support/axe.ts'
import {
  cleanUp,
  missingForBrowser,
  openDashboard,
  skipUnlessCi,
  until,
} from './support/dashboard.ts'
import { aFile, watchParts } from './support/uploads.ts'

const NO_BROWSER = await missingForBrowser()
const tray = (page: Page) => page.getByRole('region', { name: 'Uploads' })
const banner = (page: Page) => page.getByText('The service cannot be reached', { exact: true })

/** A dashboard behind proxies, which can be stopped: for the browser, the service and its storage are down then. */
async function openBehindProxies(t: TestContext) {
  const ports = [await freePort(), await freePort()] as const
  const [service, storage] = await Promise.all(ports.map((port) => startTcpProxy(port)))
  const proxies = [service, storage].flatMap((proxy) => proxy ?? [])
  cleanUp(t, () => Promise.all(proxies.map((proxy) => proxy.stop())))
  const baseURL = `http://127.0.0.1:${service?.port}`
  const settings = {
    STOWAGE_PORT: `${ports[0]}`,
    STOWAGE_BASE_URL: baseURL,
    STOWAGE_STORAGE_PORT: `${ports[1]}`,
    STOWAGE_STORAGE_URL: `http://127.0.0.1:${storage?.port}`,
    STOWAGE_CHUNK_SIZE: '1000000',
  }
  const dashboard = await openDashboard(t, settings, { browser: { baseURL } })
  return {
    ...dashboard,
    stop: () => Promise.all(proxies.map((proxy) => proxy.stop())),
    start: () => Promise.all(proxies.map((proxy) => proxy.start())),
  }
}

/** Records every text about failures and every placeholder that the page ever shows, even for a moment. */
const RECORD = `
  window.seen = new Set()
  const look = () => {
    for (const it of document.querySelectorAll('[role=alert]')) window.seen.add(it.innerText)
    if (document.querySelector('[aria-busy=true] tbody, [aria-label=Loading]')) window.seen.add('placeholder')
    const rates = /[\\d.]+ [kM]?B\\/s|[\\d]+ m?s left/.exec(document.querySelector('[aria-label=Uploads]')?.innerText ?? '')
    if (rates) window.seen.add(rates[0])
  }
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })`

test('while the service is down, one banner says so, and afterwards everything is loaded and uploaded', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, service, client, stop, start } = await openBehindProxies(t)
  await storeFiles(client, [{ name: 'a.txt' }])
  await client.putProducts([{ product_id: 1, variant_id: 1, name: 'Course', sku: 'C-1' }])
  const parts = await watchParts(context, service, 3)
  await page.goto('/')
  await page.getByRole('link', { name: 'a.txt' }).waitFor()
  await page.getByLabel('Files to upload').setInputFiles(await aFile(t, 'film.bin', 8_000_000))
  await until('some parts are stored', () => parts.accepted() === 3)
  await page.getByRole('link', { name: 'Storage' }).click()
  await page.getByRole('link', { name: 'a.txt' }).waitFor()
  assert.match(await page.title(), /^\d+% · Storage · Stowage$/)

  await stop()
  parts.release()
  await banner(page).waitFor()
  await tray(page).getByText('Waiting for the service · 0 of 1 file done').waitFor()
  await tray(page).getByText('3 MB of 8 MB · waiting for the service').waitFor()
  await page.evaluate(RECORD)
  await page.getByRole('link', { name: 'a.txt' }).waitFor()
  await page.getByRole('link', { name: 'Products', exact: true }).click()
  await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor()
  // Longer than the page waited before it repeated a failed call, and than the client retries one.
  await page.clock.install()
  await page.clock.runFor(60_000)
  assert.equal(await banner(page).count(), 1)
  const seen = await page.evaluate<string[]>('[...window.seen]')
  assert.deepEqual(
    seen.map((text) => text.split('\n')[0]),
    ['The service cannot be reached', 'placeholder'],
  )
  await assertAccessible(page, 'the service is down')

  await start()
  await page.clock.runFor(10_000)
  await page.getByRole('link', { name: 'Course' }).waitFor()
  await banner(page).waitFor({ state: 'detached' })
  await page.clock.resume()
  await tray(page).getByText('1 file uploaded').first().waitFor()
  await page.getByRole('link', { name: 'Assets', exact: true }).click()
  await page.getByRole('link', { name: 'film.bin' }).waitFor()
  assert.equal(await page.title(), 'Assets · Stowage')
})

test('a failure of one call is not an outage: its page shows it, and no banner appears', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page } = await openDashboard(t)
  await page.goto('/')
  await page.getByText('Drop your first file here').waitFor()
  const failure = { code: 'storage_unavailable', message: 'The storage does not respond.' }
  await page.route('**/api/v1/uploads?*', (route) => route.fulfill({ status: 503, json: failure }))
  await page.getByRole('link', { name: 'Unfinished uploads' }).click()
  await page.getByText('The storage does not respond. The page retries automatically.').waitFor()
  assert.equal(await banner(page).count(), 0)
  await page.unroute('**/api/v1/uploads?*')
  await page.getByText('No unfinished uploads').waitFor()
})
