import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { storeFiles, storeProducts } from './support/assets.ts'
import {
  missingForBrowser,
  openDashboard,
  openPage,
  skipUnlessCi,
  until,
} from './support/dashboard.ts'

const NO_BROWSER = await missingForBrowser()
const KEYS = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: 'an-admin-key-0123456789-abcdefghijk' }
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="40" height="30"/></svg>'

test('an asset is shown, downloaded, renamed, attached, detached and deleted', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, service, context } = await openDashboard(t, KEYS, {
    browser: { timezoneId: 'Asia/Tokyo', locale: 'en-GB', acceptDownloads: true },
  })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const [asset] = await storeFiles(client, [
    { name: 'café نص.svg', mime: 'image/svg+xml', content: SVG },
  ])
  await storeProducts(client, ['Poster', 'Mug'])
  await page.goto(`/assets/${asset?.id}`)
  const image = page.getByRole('region', { name: 'Preview' }).getByRole('img')
  await until('the image is loaded', async () => {
    const width = await image.evaluate((it) => Reflect.get(it, 'naturalWidth'))
    return width === 40
  })
  await page.getByText(`${SVG.length} B (${SVG.length} bytes)`).waitFor()
  const tokyo = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'Asia/Tokyo',
  })
  const details = page.getByRole('region', { name: 'Details' })
  await details.getByText(tokyo.format(new Date(asset?.created_at ?? ''))).waitFor()

  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download', exact: true }).click()
  const download = await downloading
  assert.equal(download.suggestedFilename(), 'café نص.svg')
  assert.equal(await readFile(await download.path(), 'utf8'), SVG)

  const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
  await page.getByRole('button', { name: 'Copy ID' }).click()
  await until('the ID is copied', async () => (await copied()) === asset?.id)
  await page.getByRole('button', { name: 'Copy URL' }).click()
  await page.getByRole('menuitem', { name: 'URL of this page' }).click()
  const pageUrl = `${service.baseUrl}/assets/${asset?.id}`
  await until('the URL of the page is copied', async () => (await copied()) === pageUrl)
  await page.getByRole('button', { name: 'Copy URL' }).click()
  await page.getByRole('menuitem', { name: 'Download URL' }).click()
  await until('the download URL is copied', async () =>
    (await copied()).startsWith(service.storageUrl),
  )
  assert.equal(await (await fetch(await copied())).text(), SVG)

  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('new name.svg')
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'café نص.svg' }).waitFor()
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('new name.svg')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'new name.svg' }).waitFor()
  assert.equal((await client.asset(asset?.id ?? '')).filename, 'new name.svg')

  const picker = page.getByRole('combobox', { name: 'Attach to products' })
  await picker.fill('sku-none')
  await page.getByText('No matching products').waitFor()
  await picker.fill('SKU-1')
  await page.getByRole('option', { name: 'Poster' }).click()
  await page.getByRole('button', { name: 'Detach Poster' }).waitFor()
  await page.getByRole('link', { name: 'Poster' }).click()
  await page.getByRole('heading', { name: 'Poster', level: 1 }).waitFor()
  await page.goBack()
  await picker.fill('mu')
  await page.getByRole('option', { name: 'Mug' }).click()
  const detachMug = page.getByRole('button', { name: 'Detach Mug' })
  await detachMug.waitFor()
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.click()
  await page.getByText('Detached again').waitFor()
  await detachMug.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Detach Poster' }).waitFor()
  await picker.fill('mu')
  await page.getByRole('option', { name: 'Mug' }).click()
  await detachMug.click()
  await detachMug.waitFor({ state: 'detached' })
  await page.getByText('new name.svg detached from 1 product').waitFor()
  await undo.click()
  await detachMug.click()
  await detachMug.waitFor({ state: 'detached' })
  const { products } = await client.asset(asset?.id ?? '', { with_products: true })
  assert.deepEqual(
    products?.map(({ name }) => name),
    ['Poster'],
  )

  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete this asset?' })
  await dialog.getByText('Attached to 1 product').waitFor()
  await dialog.getByText('Poster').waitFor()
  await dialog.getByRole('button', { name: 'Delete asset' }).click()
  await page.getByText('Drop files here').waitFor()
  assert.equal(new URL(page.url()).pathname, '/')
  await openPage(page, `/assets/${asset?.id}`)
  await page.getByRole('heading', { name: 'Asset not found' }).waitFor()
  await page.getByRole('main').getByRole('link', { name: 'trash' }).click()
  await page.getByRole('button', { name: 'Restore' }).first().waitFor()
})

test('the page of an asset with many variants stays short, and the URL of a link can be edited', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const link = await client.store({ filename: 'Manual', url: 'https://example.com/old' })
  const variants = Array.from({ length: 140 }, (_, index) => ({
    product_id: 1,
    variant_id: index + 1,
    name: 'Poster',
    variant_name: `Size ${index + 1}`,
  }))
  await client.putProducts(variants)
  await client.attach(link.id, { product_ids: [1] })
  await page.goto(`/assets/${link.id}`)
  await page.getByRole('button', { name: '140 variants', expanded: false }).click()
  await page.getByRole('button', { name: 'Detach Poster · Size 7', exact: true }).click()
  await page.getByRole('button', { name: '139 variants' }).waitFor()
  // The list of variants has its own scroll bar. Without that, they would take thousands of pixels.
  const height = await page.evaluate<number>('document.documentElement.scrollHeight')
  assert.ok(height < 1200, `${height} pixels`)
  await page.getByRole('button', { name: 'Detach Poster, all variants' }).click()
  await page.getByText('Not attached to any product').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: '139 variants' }).waitFor()

  const edit = page.getByRole('button', { name: 'Edit URL' })
  const field = page.getByRole('textbox', { name: 'URL' })
  await edit.click()
  await field.fill('ftp://example.com/')
  await page.keyboard.press('Enter')
  await page.getByText('http').first().waitFor()
  await field.fill('https://example.com/new')
  await page.keyboard.press('Enter')
  await page.getByText('https://example.com/new').waitFor()
  assert.equal((await client.asset(link.id)).url, 'https://example.com/new')
  await edit.press('Enter')
  await page.keyboard.press('Escape')
  await edit.waitFor()
})

test('the page of an unfinished asset shows its state, and resumes the upload with the same file', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, service } = await openDashboard(t)
  const body = JSON.stringify({ name: 'film.mov', size: 4, mime: 'video/quicktime' })
  const headers = { 'content-type': 'application/json' }
  const url = `${service.baseUrl}/api/v1/assets/signed`
  const response = await fetch(url, { method: 'POST', body, headers })
  const { id } = (await response.json()) as { id: string }
  await page.goto(`/assets/${id}`)
  await page.getByText('The upload of this file (4 B) is not complete.').waitFor()
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose file to resume' }).click()
  const file = { name: 'film.mov', mimeType: 'video/quicktime', buffer: Buffer.from('film') }
  await (await choosing).setFiles(file)
  await page.getByRole('button', { name: 'Download' }).waitFor()
  assert.equal(await (await client.download(id)).text(), 'film')
})
