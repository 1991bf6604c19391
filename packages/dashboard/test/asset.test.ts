import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { storeFiles, storeProducts } from './support/assets.ts'
import { openDashboard, skipUnlessCi, until, whyNoBrowser } from './support/dashboard.ts'

const NO_BROWSER = await whyNoBrowser()
const KEYS = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: 'an-admin-key-0123456789-abcdefghijk' }
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="40" height="30"/></svg>'
const PDF =
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]>>endobj\ntrailer<</Root 1 0 R>>'

/** A second of silence. */
function aWave(): Buffer {
  const header = Buffer.from('RIFF    WAVEfmt ')
  const format = Buffer.from([16, 0, 0, 0, 1, 0, 1, 0, 64, 31, 0, 0, 64, 31, 0, 0, 1, 0, 8, 0])
  const data = Buffer.alloc(8 + 8000, 128)
  header.writeUInt32LE(36 + 8000, 4)
  data.write('data')
  data.writeUInt32LE(8000, 4)
  return Buffer.concat([header, format, data])
}

for (const settings of [{}, KEYS]) {
  const mode = 'STOWAGE_AUTH' in settings ? 'with keys' : 'open'
  test(`an asset is shown, downloaded, renamed, linked, unlinked and deleted (${mode})`, async (t) => {
    if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
    const { page, client, service, context } = await openDashboard(t, settings, {
      browser: { timezoneId: 'Asia/Tokyo', locale: 'en-GB', acceptDownloads: true },
    })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const [asset] = await storeFiles(client, [
      { name: 'café نص.svg', mime: 'image/svg+xml', content: SVG },
    ])
    await storeProducts(client, ['Poster', 'Mug'])
    await page.goto(`/assets/${asset?.id}`)
    const picture = page.getByRole('region', { name: 'Preview' }).getByRole('img')
    await until('the picture is drawn', async () => {
      const width = await picture.evaluate((it) => Reflect.get(it, 'naturalWidth'))
      return width === 40
    })
    await page.getByText(`${SVG.length} B (${SVG.length} bytes)`).waitFor()
    const tokyo = new Intl.DateTimeFormat('en-GB', {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: 'Asia/Tokyo',
    })
    await page.getByText(tokyo.format(new Date(asset?.created_at ?? ''))).waitFor()

    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    const download = await downloading
    assert.equal(download.suggestedFilename(), 'café نص.svg')
    assert.equal(await readFile(await download.path(), 'utf8'), SVG)

    const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
    await page.getByRole('button', { name: 'Copy the id' }).click()
    await until('the id is copied', async () => (await copied()) === asset?.id)
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByRole('menuitem', { name: 'To this page' }).click()
    const address = `${service.baseUrl}/assets/${asset?.id}`
    await until('the page’s address is copied', async () => (await copied()) === address)
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByRole('menuitem', { name: 'To the file' }).click()
    await until('the file’s is copied', async () => (await copied()).startsWith(service.storageUrl))
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

    const picker = page.getByRole('combobox', { name: 'Link to more' })
    await picker.fill('sku-none')
    await page.getByText('No product matches').waitFor()
    await picker.fill('SKU-1')
    await page.getByRole('option', { name: 'Poster' }).click()
    await page.getByRole('button', { name: 'Unlink Poster' }).waitFor()
    await picker.fill('mu')
    await page.getByRole('option', { name: 'Mug' }).click()
    await page.getByRole('button', { name: 'Unlink Mug' }).click()
    await page.getByRole('button', { name: 'Unlink Mug' }).waitFor({ state: 'detached' })
    const { products } = await client.asset(asset?.id ?? '', { with_products: true })
    assert.deepEqual(
      products?.map(({ name }) => name),
      ['Poster'],
    )

    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete this asset?' })
    await dialog.getByText('Linked to 1 product').waitFor()
    await dialog.getByText('Poster').waitFor()
    await dialog.getByRole('button', { name: 'Delete this asset' }).click()
    await page.getByText('Drop your first file here').waitFor()
    assert.equal(new URL(page.url()).pathname, '/')
    await page.goto(`/assets/${asset?.id}`)
    await page.getByRole('heading', { name: 'This asset is not here' }).waitFor()
  })
}

test('sound and PDF are shown; pages are not', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const silence = await client.upload(new Blob([new Uint8Array(aWave())]), {
    name: 'a.wav',
    mime: 'audio/wav',
  })
  const [pdf, html, broken] = await storeFiles(client, [
    { name: 'a.pdf', mime: 'application/pdf', content: PDF },
    { name: 'a.html', mime: 'text/html', content: '<p>' },
    { name: 'a.png', mime: 'image/png', content: 'no picture' },
  ])
  const preview = page.getByRole('region', { name: 'Preview' })
  await page.goto(`/assets/${silence.id}`)
  await until('a second of sound', async () => {
    const sound = preview.locator('audio')
    return Math.round(await sound.evaluate((it) => Reflect.get(it, 'duration'))) === 1
  })
  await page.goto(`/assets/${pdf?.id}`)
  await preview.locator('iframe[src^="blob:"]').waitFor()
  await page.goto(`/assets/${html?.id}`)
  await preview.getByText('There is no preview of such a file.').waitFor()
  assert.equal(await preview.locator('iframe, img, object, embed').count(), 0)
  await page.goto(`/assets/${broken?.id}`)
  await preview.getByText('The browser can’t show this file.').waitFor()
})

test('an asset that is still on its way says so; the same file goes on from anywhere', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, service } = await openDashboard(t)
  const body = JSON.stringify({ name: 'film.mov', size: 4, mime: 'video/quicktime' })
  const headers = { 'content-type': 'application/json' }
  const url = `${service.baseUrl}/api/v1/assets/signed`
  const asked = await fetch(url, { method: 'POST', body, headers })
  const { id } = (await asked.json()) as { id: string }
  await page.goto(`/assets/${id}`)
  await page.getByText('This file is still being uploaded (4 B in all).').waitFor()
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose the file to go on' }).click()
  const file = { name: 'film.mov', mimeType: 'video/quicktime', buffer: Buffer.from('film') }
  await (await choosing).setFiles(file)
  await page.getByRole('button', { name: 'Download' }).waitFor()
  assert.equal(await (await client.download(id)).text(), 'film')
})
