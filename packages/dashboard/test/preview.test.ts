import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { storeFiles } from './support/assets.ts'
import {
  aFolder,
  CHROMIUM,
  leaveDialog,
  missingForBrowser,
  openDashboard,
  openPage,
  skipUnlessCi,
  until,
} from './support/dashboard.ts'
import { aWave, PDF, VIDEO } from './support/media.ts'
import { drop } from './support/uploads.ts'

const NO_BROWSER = await missingForBrowser()
const preview = (page: Page) => page.getByRole('region', { name: 'Preview' })
const numberOf = (media: Locator, property: string) =>
  media.evaluate((it, name) => Reflect.get(it, name) as number, property)

test('a video plays, and other changes on the page do not restart it', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const { id } = await client.upload(new Blob([VIDEO]), { name: 'film.webm', mime: 'video/webm' })
  await page.goto(`/assets/${id}`)
  const video = preview(page).locator('video')
  await until('its width is known', async () => (await numberOf(video, 'videoWidth')) === 64)
  await video.evaluate((it) => Object.assign(it, { muted: true }))
  // `play` is not awaited, because it has no timeout. The next line has one.
  await video.evaluate((it) => void Reflect.get(it, 'play').call(it))
  await until('it plays', async () => (await numberOf(video, 'currentTime')) > 0.2)
  await video.evaluate((it) => Reflect.get(it, 'pause').call(it))
  const at = await numberOf(video, 'currentTime')
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('renamed.webm')
  // Waits until the asset is loaded again. The event stream, which may open only now, never ends.
  const reading = page.waitForResponse(
    (it) => it.request().method() === 'GET' && new URL(it.url()).pathname.endsWith(`/assets/${id}`),
  )
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'renamed.webm' }).waitFor()
  await (await reading).finished()
  assert.equal(await numberOf(video, 'currentTime'), at)
  await video.evaluate((it) => Object.assign(it, { currentTime: 0.1 }))
  await until('it has moved to the position', async () => !(await numberOf(video, 'seeking')))
  assert.equal(await numberOf(video, 'currentTime'), 0.1)
})

test('seeking in audio does not load the data before the new position', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, service } = await openDashboard(t)
  const wave = aWave(120)
  const { id } = await client.upload(new Blob([wave]), { name: 'a.wav', mime: 'audio/wav' })
  const ranges: string[] = []
  page.on('response', (response) => {
    if (!response.url().startsWith(service.storageUrl)) return
    ranges.push(`${response.status()} ${response.headers()['content-range']}`)
  })
  await page.goto(`/assets/${id}`)
  const sound = preview(page).locator('audio')
  await until('its length is known', async () => (await numberOf(sound, 'duration')) === 120)
  await sound.evaluate((it) => Object.assign(it, { currentTime: 110 }))
  await until('the position is loaded', async () => (await numberOf(sound, 'readyState')) >= 2)
  assert.equal(await numberOf(sound, 'currentTime'), 110)
  const starts = ranges.map((range) => Number(/^206 bytes (\d+)-/.exec(range)?.[1]))
  assert.ok(
    starts.some((start) => start > wave.length / 2),
    ranges.join(),
  )
})

test('a preview whose first request fails is loaded again', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, service } = await openDashboard(t)
  const { id } = await client.upload(new Blob([VIDEO]), { name: 'film.webm', mime: 'video/webm' })
  await page.route(`${service.storageUrl}/**`, (route) => route.abort(), { times: 1 })
  await page.goto(`/assets/${id}`)
  const video = preview(page).locator('video')
  await until('its width is known', async () => (await numberOf(video, 'videoWidth')) === 64)
})

test('an expired download URL is replaced by a new one', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const wave = new Blob([aWave(1)])
  const { id } = await client.upload(wave, { name: 'a.wav', mime: 'audio/wav' })
  const fresh = await client.address(id)
  const expired = {
    url: fresh.url.slice(0, -4),
    expires_at: new Date(Date.now() - 1000).toISOString(),
  }
  await page.route('**/address', (route) => route.fulfill({ json: { data: expired } }), {
    times: 1,
  })
  await page.goto(`/assets/${id}`)
  const sound = preview(page).locator('audio')
  await until('its length is known', async () => (await numberOf(sound, 'duration')) === 1)
})

test('a PDF is shown, and a PDF with scripts or a damaged one is not', async (t) => {
  const missing = await missingForBrowser(CHROMIUM)
  if (missing !== undefined) return skipUnlessCi(t, missing)
  const { page, client } = await openDashboard(t, {}, { executable: CHROMIUM })
  const alert = PDF.replace('/Catalog', '/Catalog/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>')
  const [pdf, scripted, broken] = await storeFiles(client, [
    { name: 'a.pdf', mime: 'application/pdf', content: PDF },
    { name: 'b.pdf', mime: 'application/pdf', content: alert },
    { name: 'c.pdf', mime: 'application/pdf', content: PDF.slice(0, 100) },
  ])
  await page.goto(`/assets/${pdf?.id}`)
  await preview(page).locator('iframe[src^="blob:"]').waitFor()
  await until('the viewer has loaded it', () =>
    page.frames().some((frame) => frame.url().startsWith('blob:')),
  )
  page.on('dialog', () => assert.fail('a preview has opened a dialog'))
  await openPage(page, `/assets/${scripted?.id}`)
  await preview(page).getByText('it is encrypted or contains scripts').waitFor()
  assert.equal(await preview(page).locator('iframe').count(), 0)
  await openPage(page, `/assets/${broken?.id}`)
  await preview(page).getByText('it is damaged, or it is not a PDF').waitFor()
  assert.equal(await preview(page).locator('iframe').count(), 0)
})

test('a file dropped on the preview of a PDF replaces the PDF, wherever the pointer comes from', async (t) => {
  const missing = await missingForBrowser(CHROMIUM)
  if (missing !== undefined) return skipUnlessCi(t, missing)
  const { page, client } = await openDashboard(t, {}, { executable: CHROMIUM })
  const [pdf] = await storeFiles(client, [
    { name: 'book.pdf', mime: 'application/pdf', content: PDF },
  ])
  await page.goto(`/assets/${pdf?.id}`)
  const frame = preview(page).locator('iframe[src^="blob:"]')
  await frame.waitFor()
  await until('the viewer has loaded it', () =>
    page.frames().some((one) => one.url().startsWith('blob:')),
  )
  const box = (await frame.boundingBox()) ?? assert.fail('the frame is not visible')
  const center = { x: box.x + box.width / 2, y: box.y + 150 }
  const file = join(await aFolder(t), 'second.pdf')
  await writeFile(file, PDF)
  const dialog = page.getByRole('dialog', { name: 'Replace this file?' })
  const overlay = page.getByText('Drop a file to replace')

  // The pointer has never been over the page, and enters the window over the preview.
  await drop(page, [file], 'Drop a file to replace', center)
  await dialog.waitFor()
  assert.equal(await overlay.count(), 0)
  await leaveDialog(page)
  await dialog.waitFor({ state: 'detached' })

  // The viewer gets the mouse: the page below it does not receive the movements.
  await page.mouse.move(center.x, center.y)
  const underPointer = () =>
    page.evaluate<string>(`document.elementFromPoint(${center.x}, ${center.y}).tagName`)
  await until('the viewer can be used', async () => (await underPointer()) === 'IFRAME')
  // The drag crosses the page before it reaches the preview.
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [file], dragOperationsMask: 1 }
  await until('the page notices the drag', async () => {
    await session.send('Input.dispatchDragEvent', { type: 'dragEnter', x: box.x + 5, y: 5, data })
    await session.send('Input.dispatchDragEvent', { type: 'dragOver', x: box.x + 5, y: 5, data })
    return overlay.isVisible()
  })
  await drop(page, [file], 'Drop a file to replace', center)
  await dialog.waitFor()
  assert.equal(await overlay.count(), 0)
})

test('text is shown; HTML, binary content and a damaged image are not', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, service } = await openDashboard(t)
  const dangerous = `<script>alert(1)</script> & "ü"\n${'x'.repeat(70_000)}`
  const [html, broken, text, binary, short] = await storeFiles(client, [
    { name: 'a.html', mime: 'text/html', content: '<p>' },
    { name: 'a.png', mime: 'image/png', content: 'no picture' },
    { name: 'notes.md', mime: 'application/octet-stream', content: dangerous },
    { name: 'b.txt', mime: 'text/plain', content: 'a\0b' },
    { name: 'c.txt', mime: 'text/plain', content: 'short' },
  ])
  page.on('dialog', () => assert.fail('a preview has opened a dialog'))
  await page.goto(`/assets/${html?.id}`)
  await preview(page).getByText('No preview is available for this type of file.').waitFor()
  assert.equal(await preview(page).locator('iframe, img, object, embed').count(), 0)
  await openPage(page, `/assets/${broken?.id}`)
  await preview(page).getByText('it is damaged, or it is not an image').waitFor()

  const ranges: (string | undefined)[] = []
  page.on('response', (response) => {
    if (!response.url().startsWith(service.storageUrl)) return
    ranges.push(response.headers()['content-range'])
  })
  await openPage(page, `/assets/${text?.id}`)
  await preview(page).getByText('The first 64 kB of 70 kB').waitFor()
  const shown = await preview(page).locator('pre').textContent()
  assert.equal(shown, dangerous.slice(0, 63_999))
  assert.deepEqual(ranges, [`bytes 0-63999/${Buffer.byteLength(dangerous)}`])
  await openPage(page, `/assets/${binary?.id}`)
  await preview(page).getByText('its content is not text').waitFor()
  await openPage(page, `/assets/${short?.id}`)
  const inner = await preview(page).locator('div', { hasText: 'short' }).boundingBox()
  const outer = await page.getByRole('region', { name: 'Preview', exact: true }).boundingBox()
  assert.equal(
    inner?.height,
    (outer?.height ?? 0) - 2,
    'a short text fills the box inside its border',
  )
})
