import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { storeFiles } from './support/assets.ts'
import { openDashboard, skipUnlessCi, until, whyNoBrowser } from './support/dashboard.ts'
import { aFilm, aWave, PDF } from './support/media.ts'

const NO_BROWSER = await whyNoBrowser()
const preview = (page: Page) => page.getByRole('region', { name: 'Preview' })
const factOf = (media: Locator, name: string) =>
  media.evaluate((it, fact) => Reflect.get(it, fact) as number, name)

test('a film plays, and is not begun anew by what else happens on the page', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await page.goto('/')
  const film = await aFilm(page, 1500)
  const { id } = await client.upload(new Blob([film]), { name: 'film.webm', mime: 'video/webm' })
  await page.goto(`/assets/${id}`)
  const video = preview(page).locator('video')
  await until('it is known how wide it is', async () => (await factOf(video, 'videoWidth')) === 64)
  await video.evaluate((it) => Object.assign(it, { muted: true }))
  await video.evaluate((it) => Reflect.get(it, 'play').call(it))
  await until('it plays', async () => (await factOf(video, 'currentTime')) > 0.2)
  await video.evaluate((it) => Reflect.get(it, 'pause').call(it))
  const at = await factOf(video, 'currentTime')
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('renamed.webm')
  const reading = page.waitForResponse((it) => it.request().method() === 'GET')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'renamed.webm' }).waitFor()
  await (await reading).finished()
  assert.equal(await factOf(video, 'currentTime'), at)
  await video.evaluate((it) => Object.assign(it, { currentTime: 0.1 }))
  await until('it is sought', async () => !(await factOf(video, 'seeking')))
  assert.equal(await factOf(video, 'currentTime'), 0.1)
})

test('sound is sought without what lies before it being read', async (t) => {
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
  await until('its length is known', async () => (await factOf(sound, 'duration')) === 120)
  await sound.evaluate((it) => Object.assign(it, { currentTime: 110 }))
  await until('it is there', async () => (await factOf(sound, 'readyState')) >= 2)
  assert.equal(await factOf(sound, 'currentTime'), 110)
  const starts = ranges.map((range) => Number(/^206 bytes (\d+)-/.exec(range)?.[1]))
  assert.ok(
    starts.some((start) => start > wave.length / 2),
    ranges.join(),
  )
})

test('an address that has expired is followed by a fresh one', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const wave = new Blob([aWave(1)])
  const { id } = await client.upload(wave, { name: 'a.wav', mime: 'audio/wav' })
  const fresh = await client.address(id)
  const worn = {
    url: fresh.url.slice(0, -4),
    expires_at: new Date(Date.now() - 1000).toISOString(),
  }
  await page.route('**/address', (route) => route.fulfill({ json: { data: worn } }), { times: 1 })
  await page.goto(`/assets/${id}`)
  const sound = preview(page).locator('audio')
  await until('its length is known', async () => (await factOf(sound, 'duration')) === 1)
})

test('a PDF is shown; pages, and what is not what it says, are not', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const alert = PDF.replace('/Catalog', '/Catalog/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>')
  const [pdf, scripted, html, broken] = await storeFiles(client, [
    { name: 'a.pdf', mime: 'application/pdf', content: PDF },
    { name: 'b.pdf', mime: 'application/pdf', content: alert },
    { name: 'a.html', mime: 'text/html', content: '<p>' },
    { name: 'a.png', mime: 'image/png', content: 'no picture' },
  ])
  await page.goto(`/assets/${pdf?.id}`)
  await preview(page).locator('iframe[src^="blob:"]').waitFor()
  await until('the viewer has it', () =>
    page.frames().some((frame) => frame.url().startsWith('blob:')),
  )
  page.on('dialog', () => assert.fail('a PDF has raised a dialog'))
  await page.goto(`/assets/${scripted?.id}`)
  await preview(page).getByText('The browser can’t show this file.').waitFor()
  assert.equal(await preview(page).locator('iframe').count(), 0)
  await page.goto(`/assets/${html?.id}`)
  await preview(page).getByText('There is no preview of such a file.').waitFor()
  assert.equal(await preview(page).locator('iframe, img, object, embed').count(), 0)
  await page.goto(`/assets/${broken?.id}`)
  await preview(page).getByText('The browser can’t show this file.').waitFor()
})
