import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { anHttpServer } from '@stowage/testing/machine/ports'
import { storeFiles, storeProducts } from './support/assets.ts'
import {
  leaveDialog,
  missingForBrowser,
  openDashboard,
  openPage,
  skipUnlessCi,
  until,
} from './support/dashboard.ts'
import { aProduct, LONG } from './support/products.ts'

const NO_BROWSER = await missingForBrowser()
const NAME = '<img src=x onerror=alert(1)>.html'
const SCRIPT = '<script>alert(1)</script>'
const EVIL_SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${SCRIPT}</svg>`

/** Another website, which records the requests that it gets. */
async function aHostileSite(t: TestContext) {
  const requests: string[] = []
  const site = await anHttpServer(t, ({ url, headers }, response) => {
    requests.push(`${url} ${headers.referer ?? 'no referer'}`)
    response.writeHead(200, { 'Content-Type': 'text/html' })
    response.end('<script>alert(1); opener && (opener.location = "about:blank")</script>')
  })
  return { url: `${site}/"><svg/onload=alert(1)>`, requests }
}

test('hostile names, files and links run no script on any page', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const site = await aHostileSite(t)
  const { page, client, context } = await openDashboard(t)
  const alerts: string[] = []
  page.on('dialog', (dialog) => {
    alerts.push(dialog.message())
    return dialog.dismiss()
  })
  const files = await storeFiles(client, [
    { name: NAME, mime: 'text/html', content: SCRIPT },
    { name: `${NAME}.svg`, mime: 'image/svg+xml', content: EVIL_SVG },
    { name: `${NAME}.pdf`, mime: 'application/pdf', content: SCRIPT },
    { name: `${NAME}.mp4`, mime: 'video/mp4', content: SCRIPT },
    { name: '\u202Egpj.exe \u2066 "><b>', mime: 'image/png', content: SCRIPT },
  ])
  const link = await client.store({ filename: NAME, url: site.url })
  const [product] = await storeProducts(client, [NAME])
  for (const { id } of files) await client.attach(id, { products: [product?.id ?? ''] })

  await page.goto('/')
  await page.getByRole('link', { name: NAME, exact: true }).first().waitFor()
  await page.getByLabel('Files to upload').setInputFiles({
    name: NAME,
    mimeType: 'text/html',
    buffer: Buffer.from(SCRIPT),
  })
  // The name already exists, so a dialog asks what to do.
  await page.getByRole('button', { name: 'Keep both' }).click()
  await page.getByText('1 file uploaded').first().waitFor()
  await page.getByRole('checkbox', { name: 'Select all on this page' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByText(NAME, { exact: true }).first().waitFor()
  await leaveDialog(page)
  for (const { id, filename } of [...files, link]) {
    await openPage(page, `/assets/${id}`)
    await page.getByRole('heading', { name: filename }).first().waitFor()
    await page.getByRole('heading', { name: 'Products' }).waitFor()
  }

  // The browser requests the URL of a link only after a click, and sends no referrer.
  const anchor = page.getByRole('link', { name: /in a new tab/ })
  await anchor.waitFor()
  assert.deepEqual(site.requests, [])
  assert.equal(await anchor.getAttribute('rel'), 'noopener noreferrer nofollow')
  const opening = context.waitForEvent('page')
  await anchor.click()
  const other = await opening
  other.on('dialog', (dialog) => dialog.dismiss())
  await until('the site gets a request', () => site.requests.length > 0)
  assert.match(site.requests[0] ?? '', /no referer$/)
  await other.close()
  assert.equal(new URL(page.url()).pathname, `/assets/${link.id}`)

  assert.deepEqual(alerts, [])
  assert.equal(await page.locator('img[src="x"]').count(), 0)
})

test('a name of 255 characters fits on a phone, and an Arabic name is displayed from right to left', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await page.setViewportSize(PHONE)
  const long = `${'W'.repeat(251)}.txt`
  const [longest, arabic] = await storeFiles(client, [
    { name: long },
    { name: 'دليل المستخدم.pdf' },
  ])
  await client.putProducts([aProduct({ name: LONG }), aProduct({ variant_id: 2, name: LONG })])
  await client.attach(longest?.id ?? '', { product_ids: [1] })
  await page.goto('/')
  const name = page.getByRole('link', { name: long })
  await name.waitFor()
  assert.equal(await name.locator('bdi').getAttribute('title'), long)
  const overflow = () =>
    page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
  assert.equal(await overflow(), 0)
  await name.click()
  await page.getByRole('heading', { name: long }).waitFor()
  assert.equal(await overflow(), 0)
  const detach = await page.getByRole('button', { name: `Detach ${LONG}` }).boundingBox()
  assert.ok(detach && detach.x + detach.width <= PHONE.width, 'the button to detach is visible')
  await openPage(page, `/assets/${arabic?.id}`)
  await page.locator('h1 bdi:dir(rtl)').waitFor()
})

const PHONE = { width: 390, height: 844 }
