import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { storeFiles } from './support/assets.ts'
import {
  aFolder,
  missingForBrowser,
  openDashboard,
  openPage,
  skipUnlessCi,
  until,
} from './support/dashboard.ts'
import { aFile, drop, watchParts } from './support/uploads.ts'

const NO_BROWSER = await missingForBrowser()
const tray = (page: Page) => page.getByRole('region', { name: 'Uploads' })
const chooser = (page: Page) => page.getByLabel('Files to upload')
const KEYS = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: 'an-admin-key-0123456789-abcdefghijk' }

/** Whether the element can be clicked where it is, without scrolling. */
function isOnTop(element: Element): boolean {
  const { x, y, width, height } = element.getBoundingClientRect()
  return element.contains(document.elementFromPoint(x + width / 2, y + height / 2))
}

test('files and folders can be dropped on any page', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const folder = await aFolder(t)
  await mkdir(join(folder, 'course/deep/er'), { recursive: true })
  await mkdir(join(folder, 'course/empty'))
  const lessons = Array.from({ length: 18 }, (_, number) => `lesson ${number}.txt`)
  const names = ['intro.txt', 'deep/two.txt', 'deep/er/three.txt', '.DS_Store', ...lessons]
  for (const name of names) await writeFile(join(folder, 'course', name), name)
  // Browsers return the entries of a folder in batches of 100, in any order.
  for (let number = 0; number < 180; number += 1) await mkdir(join(folder, `course/${number}`))
  await writeFile(join(folder, 'alone.txt'), 'alone')
  const { page, client } = await openDashboard(t, KEYS)
  await page.goto('/products')
  await page.getByRole('heading', { name: 'Products', exact: true }).waitFor()
  await drop(page, [join(folder, 'alone.txt'), join(folder, 'course')])
  await tray(page).getByText('22 files uploaded').first().waitFor()
  const stored = await client.assets({ limit: 1000 }).page()
  const found = stored.data.map(({ filename }) => filename)
  assert.equal(found.length, 22)
  for (const name of ['alone.txt', 'two.txt', 'three.txt']) assert.ok(found.includes(name), name)
  const three = stored.data.find(({ filename }) => filename === 'three.txt')
  assert.equal(await (await client.download(three?.id ?? '')).text(), 'deep/er/three.txt')
  assert.equal(three?.path, 'course/deep/er')

  // The tray stays on other pages, and lists show the new assets.
  await page.getByRole('link', { name: 'Assets' }).click()
  await page.getByRole('status').getByText('22 assets').waitFor()
  // On a phone, too, the tray does not cover the actions for selected assets.
  await page.setViewportSize({ width: 390, height: 844 })
  await page
    .getByLabel(/^Select lesson/)
    .first()
    .click()
  const selection = page.getByRole('region', { name: 'Selection' })
  const clear = selection.getByRole('button', { name: 'Clear' })
  await until('the selection is visible', () => clear.evaluate(isOnTop))
  await clear.click()
  await page.setViewportSize({ width: 1280, height: 720 })
  await tray(page).getByRole('button', { name: 'Clear finished' }).click()
  await tray(page).waitFor({ state: 'detached' })
  await openPage(page, `/assets/${three?.id}`)
  await page.getByRole('link', { name: 'course/deep/er' }).click()
  await page.getByRole('status').getByText('1 asset found').waitFor()
  await page.getByRole('button', { name: 'Show the assets of all folders' }).click()
  await page.getByRole('status').getByText('22 assets').waitFor()
})

test('a picture of the page that is dragged is no file to upload', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"/>'
  const { id } = await client.upload(new Blob([svg]), { name: 'a.svg', mime: 'image/svg+xml' })
  await page.goto(`/assets/${id}`)
  await page.locator('main img').first().waitFor()
  // Browsers add the picture as a file to what is dragged.
  const isAccepted = (kind: string) =>
    page.evaluate<boolean>(`(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['x'], 'a.svg'))
      const event = new DragEvent('${kind}', { dataTransfer, bubbles: true, cancelable: true })
      return !document.querySelector('main img').dispatchEvent(event)
    })()`)
  await isAccepted('dragstart')
  assert.deepEqual([await isAccepted('dragover'), await isAccepted('drop')], [false, false])
  await isAccepted('dragend')
  assert.equal(await isAccepted('dragover'), true)
})

test('an upload is paused and resumed', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, service, client } = await openDashboard(t, {
    STOWAGE_CHUNK_SIZE: '1000000',
  })
  const parts = await watchParts(context, service, 2)
  await page.goto('/')
  await chooser(page).setInputFiles(await aFile(t, 'film.bin', 6_000_000))
  await until('two parts are stored', () => parts.accepted() === 2)
  await tray(page)
    .getByText(/^2 MB of 6 MB/)
    .first()
    .waitFor()
  await tray(page).getByRole('button', { name: 'Pause: film.bin' }).click()
  await tray(page)
    .getByText(/^Paused at 2 MB of 6 MB/)
    .waitFor()
  const started = parts.started()
  parts.release()
  await page.getByRole('link', { name: 'Settings' }).click()
  await tray(page)
    .getByText(/^Paused at/)
    .waitFor()
  assert.equal(parts.started(), started)
  await tray(page).getByRole('button', { name: 'Resume: film.bin' }).click()
  await tray(page).getByText('1 file uploaded').first().waitFor()
  assert.equal(parts.accepted(), 6)
  await tray(page).getByRole('link', { name: 'film.bin' }).click()
  await page.getByText('6 MB (6,000,000 bytes)').waitFor()
  assert.equal((await client.account()).stored, 6_000_000)
})

test('pressing Enter on the pause button pauses the upload, and pressing Enter again resumes it', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, service } = await openDashboard(t)
  const parts = await watchParts(context, service, 0)
  await page.goto('/')
  await chooser(page).setInputFiles(await aFile(t, 'film.bin', 1000))
  await until('the upload has started', () => parts.started() === 1)
  await tray(page).getByRole('button', { name: 'Pause: film.bin' }).focus()
  await page.keyboard.press('Enter')
  await tray(page)
    .getByText(/^Paused at/)
    .waitFor()
  parts.release()
  await page.keyboard.press('Enter')
  await tray(page).getByText('1 file uploaded').first().waitFor()
})

test('a cancelled upload releases its storage', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, service, client } = await openDashboard(t, {
    STOWAGE_CHUNK_SIZE: '1000000',
  })
  const parts = await watchParts(context, service, 2)
  await page.goto('/')
  await chooser(page).setInputFiles([
    await aFile(t, 'a.bin', 3_000_000),
    await aFile(t, 'b.bin', 3_000_000),
  ])
  await until('two parts are stored', () => parts.accepted() === 2)
  assert.equal((await client.account()).reserved, 6_000_000)
  await tray(page).getByRole('button', { name: 'Cancel: a.bin' }).click()
  await until(
    'its storage is released',
    async () => (await client.account()).reserved === 3_000_000,
  )
  await tray(page).getByRole('button', { name: 'Pause all' }).click()
  await tray(page).getByText('Paused · 0 of 1 file done').waitFor()
  await tray(page).getByRole('button', { name: 'Cancel: b.bin' }).click()
  await tray(page).waitFor({ state: 'detached' })
  await until('all storage is released', async () => (await client.account()).reserved === 0)
  await page.reload()
  await page.getByText('Drop your first file here').waitFor()
  assert.equal(await tray(page).count(), 0)
})

test('one dialog asks about files whose names already exist, and files wait until the service is reachable', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await storeFiles(client, [{ name: 'a.txt' }, { name: 'b.txt' }, { name: 'c.txt' }])
  const names = async () => {
    const { data } = await client.assets({ sort: 'filename' }).page()
    return data.map(({ filename }) => filename).join()
  }
  await page.goto('/')
  const files = (names: string[], size: number) =>
    Promise.all(names.map((name) => aFile(t, name, size)))
  await chooser(page).setInputFiles(await files(['a.txt', 'b.txt', 'c.txt', 'd.txt'], 9))
  const dialog = page.getByRole('dialog', { name: /already exists?$/ })
  await dialog.getByText('a.txt').waitFor()
  await until('the new file is uploaded', async () => (await names()) === 'a.txt,b.txt,c.txt,d.txt')
  await dialog.getByRole('checkbox', { name: 'Apply to all 3 files' }).uncheck()
  await dialog.getByRole('button', { name: 'Skip' }).click()
  await page.getByText('1 file skipped').waitFor()
  await dialog.getByText('b.txt').waitFor()
  await dialog.getByRole('checkbox', { name: 'Apply to all 2 files' }).check()
  await dialog.getByRole('button', { name: 'Keep both' }).click()
  await tray(page).getByText('3 files uploaded').first().waitFor()
  assert.equal(await names(), 'a.txt,b.txt,b.txt,c.txt,c.txt,d.txt')

  await chooser(page).setInputFiles(await files(['b.txt', 'd.txt'], 12))
  await dialog.getByText('the newest of 2 assets with this name').waitFor()
  await dialog.getByRole('button', { name: 'Replace' }).click()
  await tray(page).getByText('5 files uploaded').first().waitFor()
  const { data: replaced } = await client.assets({ sort: 'filename' }).page()
  assert.deepEqual(
    replaced.map(({ filename, version, bytes }) => `${filename} ${version} ${bytes}`),
    ['a.txt 1 5', 'b.txt 1 5', 'b.txt 2 12', 'c.txt 1 5', 'c.txt 1 9', 'd.txt 2 12'],
  )

  await page.route('**/api/v1/**', (route) => route.abort())
  await chooser(page).setInputFiles(await aFile(t, 'e.txt', 9))
  await tray(page).getByText('1 file is waiting').waitFor()
  await page.getByRole('link', { name: 'Products', exact: true }).click()
  await page.getByText('The service cannot be reached').waitFor()
  await page.unroute('**/api/v1/**')
  await page.getByText('Import your products').waitFor()
  await tray(page).getByText('6 files uploaded').first().waitFor()
  assert.match(await names(), /e\.txt$/)
})

test('dropping a folder without files shows an error', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const folder = await aFolder(t)
  await mkdir(join(folder, 'course/empty'), { recursive: true })
  const { page } = await openDashboard(t)
  await page.goto('/')
  await drop(page, [join(folder, 'course')])
  await page.getByRole('alert').getByText('The folder contains no files.').waitFor()
  assert.equal(await tray(page).count(), 0)

  // The browser refuses a drop on an element that did not accept the `dragenter` just before.
  const isAccepted = await page.evaluate<boolean>(`(() => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['a'], 'a.txt'))
    const init = { dataTransfer, bubbles: true, cancelable: true }
    return !document.body.dispatchEvent(new DragEvent('dragenter', init))
  })()`)
  assert.ok(isAccepted)
})

test('the browser asks before it leaves the page during an upload', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, service } = await openDashboard(t)
  const parts = await watchParts(context, service, 0)
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    return dialog.dismiss()
  })
  await page.goto('/')
  // Browsers ask only after the user has interacted with the page.
  await page.getByRole('heading', { name: 'Assets' }).click()
  await chooser(page).setInputFiles(await aFile(t, 'film.bin', 1000))
  await until('the upload has started', () => parts.started() === 1)
  await page.evaluate('void setTimeout(() => location.reload())')
  await until('the browser asks', () => asked.length === 1)
  assert.deepEqual(asked, ['beforeunload'])
  parts.release()
  await tray(page).getByText('1 file uploaded').first().waitFor()
  await page.reload()
  assert.equal(asked.length, 1)
})
