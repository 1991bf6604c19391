import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { assertAccessibleAtAllWidths } from '@stowage/dashboard/test/support/axe'
import type { Order, OrderFile } from '@stowage/protocol'
import { sharedBrowser } from '@stowage/testing/browser/shared-browser'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { moveClock } from '@stowage/testing/machine/moved-clock'
import { aService, type TestService } from '@stowage/testing/service/service'
import { attach, putProduct, storeLink } from '@stowage/testing/service/shop'
import { API, someBytes, uploadFile } from '@stowage/testing/service/upload'
import type { BrowserContextOptions, Page } from 'playwright-core'

/* The page of buyers in a browser. Its tests without a browser are in packages/server/test/http/orders. */

async function aPage(t: TestContext, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await (await sharedBrowser()).newContext({ reducedMotion: 'reduce', ...options })
  cleanUp(t, () => context.close())
  return context.newPage()
}

/** The smallest picture. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPj/HwADAgH/eL9GtQAAAABJRU5ErkJggg==',
  'base64',
)
/** Mail scanners press the buttons as soon as the mail arrives. */
const BUYER_LATER_MS = 20 * 60 * 60_000
const LONG = `Ein-sehr-${'langer-'.repeat(20)}Name mit 日本語 und Leerzeichen`

/** An order with a file of each kind, and a branded page. */
async function aSale(service: TestService) {
  const { baseUrl, call } = service
  const files = [
    { name: `${LONG}.zip`, mime: 'application/zip', bytes: someBytes(5000, 1) },
    { name: 'Noten.pdf', mime: 'application/pdf', bytes: someBytes(2000, 2) },
    { name: 'song.mp3', mime: 'audio/mpeg', bytes: someBytes(2000, 3) },
    { name: 'film.mp4', mime: 'video/mp4', bytes: someBytes(2000, 4) },
    { name: 'cover.png', mime: 'image/png', bytes: PNG },
  ]
  const ids: string[] = []
  for (const file of files) ids.push((await uploadFile(baseUrl, file)).id)
  const [zip = '', ...others] = ids
  const link = await storeLink(service, { filename: 'Online course' })
  await putProduct(service, { variant_id: 11, name: 'Sample pack of dusty loops' })
  await attach(service, zip, { product_ids: [1] })
  const branding = {
    name: 'Sounds & Söhne',
    color: '#ffee00',
    logo: ids[4],
    help_text: 'Write to us if anything does not work.',
    help_email: 'help@example.com',
  }
  assert.equal((await call('PUT', `${API}/account/branding`, branding)).status, 200)
  const { body } = await call('POST', `${API}/orders`, {
    order_number: '#1001',
    lines: [{ product_id: 1, quantity: 2 }],
    assets: [...others, link.id],
    max_downloads: 2,
    inline: true,
    expires_at: '2099-12-31T12:00:00Z',
  })
  const order: Order = body.data
  return { files, zip, order, url: order.url ?? assert.fail() }
}

test('a scanner presses every button, and the buyer hours later, by keyboard and without JavaScript: 1 download counts', async (t) => {
  let aheadMs = 0
  moveClock(t, () => aheadMs)
  const service = await aService(t)
  const { files, order, url } = await aSale(service)
  const page = await aPage(t, { javaScriptEnabled: false })
  const problems: string[] = []
  page.on('console', (message) => problems.push(message.text()))
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  await page.goto(url)
  // The files of the order itself are after those of its lines, by name. The last form is that of the link.
  const byName = [files[0], files[4], files[3], files[1], files[2]]
  const buttons = page.locator('form button')
  assert.equal(await buttons.count(), files.length + 1)
  for (let round = 0; round < 2; round += 1) {
    aheadMs = round * BUYER_LATER_MS
    await page.reload()
    for (const [index, file] of byName.entries()) {
      const button = page.getByRole('button', { name: `Download: ${file?.name}`, exact: true })
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        // The buyer uses the keyboard.
        round === 0 ? button.click() : button.focus().then(() => page.keyboard.press('Enter')),
      ])
      assert.equal(await download.failure(), null, `${index}`)
      assert.equal(download.suggestedFilename(), file?.name)
      assert.deepEqual(await readFile(await download.path()), file?.bytes)
    }
  }
  const used = await service.call('GET', `${API}/orders/${order.id}/files`)
  for (const { asset, downloaded } of used.body.data as OrderFile[]) {
    assert.equal(downloaded, asset.is_link ? 0 : 1, asset.filename)
  }
  assert.deepEqual(problems, [])
  // Nothing from elsewhere.
  const origins = new Set(requested.map((one) => new URL(one).origin))
  assert.deepEqual(
    [...origins].filter((origin) => !/^http:\/\/127\.0\.0\.1:\d+$/.test(origin)),
    [],
  )
  assert.deepEqual(await page.context().cookies(), [])
  await page.reload()
  assert.match(await page.locator('main').innerText(), /1 download left/)
})

test('the download page and its refusals are accessible, in every language', async (t) => {
  const service = await aService(t)
  const { zip, order, url } = await aSale(service)
  for (const locale of ['en', 'ar']) {
    const page = await aPage(t, { locale })
    await page.goto(url)
    assert.equal(await page.locator('html').getAttribute('dir'), locale === 'ar' ? 'rtl' : 'ltr')
    await assertAccessibleAtAllWidths(page, `files in ${locale}`)
  }
  const page = await aPage(t, { locale: 'de' })
  const change = (changes: object) => service.call('PATCH', `${API}/orders/${order.id}`, changes)
  const press = (asset: string) =>
    page.evaluate(
      ({ action }) => {
        const form = document.createElement('form')
        form.method = 'post'
        form.action = action
        document.body.append(form)
        form.submit()
      },
      { action: `${url}/${asset}` },
    )
  const states: [string, string, () => Promise<unknown>][] = [
    ['held', 'Ihre Bestellung wird geprüft', () => change({ held: true })],
    [
      'expired',
      'Diese Seite ist abgelaufen',
      () => change({ held: false, expires_at: '2020-01-01' }),
    ],
    ['revoked', 'nicht mehr verfügbar', () => service.call('DELETE', `${API}/orders/${order.id}`)],
  ]
  await page.goto(url)
  await press('00000000-0000-7000-8000-000000000000')
  await page.getByRole('link', { name: 'Zurück zu Ihren Dateien' }).waitFor()
  await assertAccessibleAtAllWidths(page, 'unknown file')
  await page.goto(`${url}x`)
  await assertAccessibleAtAllWidths(page, 'unknown order')
  await change({ lines: [{ product_id: 1, quantity: 1, refunded_quantity: 1 }] })
  await page.goto(url)
  await press(zip)
  await page.getByRole('link', { name: 'Zurück zu Ihren Dateien' }).waitFor()
  const limited = await service.call('POST', `${API}/orders`, { assets: [zip], max_downloads: 1 })
  const buyer = limited.body.data.url
  const pressed = await fetch(`${buyer}/${zip}`, { method: 'POST', redirect: 'manual' })
  const file = pressed.headers.get('location') ?? assert.fail()
  // So often it can be started from the first byte.
  for (let start = 0; start < 10; start += 1) await fetch(file)
  await page.goto(file)
  await page.getByRole('heading', { name: 'Keine Downloads mehr' }).waitFor()
  await assertAccessibleAtAllWidths(page, 'limit_reached')
  await page.getByRole('link', { name: 'Zurück zu Ihren Dateien' }).click()
  await page.getByText('Keine Downloads mehr').waitFor()
  await assertAccessibleAtAllWidths(page, 'a file without downloads left')
  const buttons = page.locator('form button')
  assert.equal(await buttons.count(), 1)
  await buttons.click()
  await page.waitForURL(/\/more$/)
  const asked = await service.call('GET', `${API}/orders/${limited.body.data.id}`)
  assert.equal(asked.body.data.more_requested.asset_id, zip)
  for (const [state, text, enter] of states) {
    await enter()
    await page.goto(url)
    await page.getByRole('heading', { name: text }).waitFor()
    await assertAccessibleAtAllWidths(page, state)
  }
})
