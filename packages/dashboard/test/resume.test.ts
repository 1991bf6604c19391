import assert from 'node:assert/strict'
import { truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { UploadSession } from '@stowage/protocol'
import { readMemory } from '@stowage/testing/machine/memory-watch'
import { freePort } from '@stowage/testing/machine/ports'
import { aStorageProxy } from '@stowage/testing/proxies/storage-proxy'
import { startTcpProxy } from '@stowage/testing/proxies/tcp-proxy'
import type { BrowserContext, Page } from 'playwright-core'
import {
  aFolder,
  cleanUp,
  missingForBrowser,
  openDashboard,
  skipUnlessCi,
  until,
} from './support/dashboard.ts'
import { drop, watchParts } from './support/uploads.ts'

const NO_BROWSER = await missingForBrowser()
const SIZE = 200_000_000
const CHUNK = 6_250_000
const LONG_MS = 240_000
const tray = (page: Page) => page.getByRole('region', { name: 'Uploads' })

/** A sparse file: it contains zeros and takes no space on the disk. */
async function aLargeFile(folder: string, name: string, size: number): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, '')
  await truncate(path, size)
  return path
}

/** Starts to measure. The returned function returns the largest growth of a process of the browser, in bytes. */
async function watchGrowth(context: BrowserContext): Promise<() => Promise<number>> {
  const session = await context.browser()?.newBrowserCDPSession()
  const { processInfo } = (await session?.send('SystemInfo.getProcessInfo')) ?? { processInfo: [] }
  await session?.detach()
  const ids = processInfo.map(({ id }) => id)
  // Earlier tests have used the same processes. This resets their peaks to their current memory.
  for (const id of ids) await writeFile(`/proc/${id}/clear_refs`, '5')
  const readPeaks = () => Promise.all(ids.map((id) => readMemory(id, 'VmHWM')))
  const before = await readPeaks()
  return async () => {
    const growths = (await readPeaks()).map((peak, index) => peak - (before[index] ?? 0))
    return Math.max(...growths)
  }
}

/** How many parts have a saved digest. After a reload, parts without one are sent again. */
const SAVED_DIGESTS = `new Promise((resolve, reject) => {
  const opening = indexedDB.open('stowage', 1)
  opening.onerror = () => reject(opening.error)
  opening.onsuccess = () => {
    const saved = opening.result.transaction('uploads').objectStore('uploads').getAll()
    saved.onerror = () => reject(saved.error)
    saved.onsuccess = () => {
      opening.result.close()
      resolve(saved.result.flatMap(({ digests }) => Object.keys(digests)).length)
    }
  }
})`

test('an upload of 200 MB is paused, interrupted by a reload, and resumed with the missing parts only', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const folder = await aFolder(t)
  const video = await aLargeFile(folder, 'video.mov', SIZE)
  const parts = await aStorageProxy(t, { letThrough: 2 })
  const { page, context, client } = await openDashboard(t, {
    ...parts.settings,
    STOWAGE_CHUNK_SIZE: `${CHUNK}`,
  })
  await page.goto('/')
  await page.getByText('Drop your first file here').waitFor()
  const readGrowth = await watchGrowth(context)
  await drop(page, [video])
  await until('two parts are stored', () => parts.accepted() === 2, LONG_MS)
  // The digest of a part is computed during its transfer, and may take longer on a busy machine.
  const hasDigests = async () => (await page.evaluate<number>(SAVED_DIGESTS)) >= parts.started()
  await until('their digests are saved', hasDigests, LONG_MS)
  await tray(page).getByRole('button', { name: 'Pause: video.mov' }).click()
  await tray(page)
    .getByText(/^Paused at \d\d(\.\d)? MB of 200 MB/)
    .waitFor()
  page.on('dialog', (dialog) => dialog.accept())
  await page.reload()
  parts.release()
  await tray(page).getByText('Unfinished uploads').waitFor()
  await page.getByRole('link', { name: 'Unfinished' }).click()
  await page.getByRole('button', { name: 'Resume video.mov' }).waitFor()
  assert.equal(await tray(page).count(), 0, 'the page lists each upload once')
  await page.getByRole('link', { name: 'Assets' }).click()
  await tray(page).getByText('Unfinished uploads').waitFor()

  const choose = async (path: string) => {
    const choosing = page.waitForEvent('filechooser')
    await tray(page).getByRole('button', { name: 'Choose file to resume' }).click()
    await (await choosing).setFiles(path)
  }
  await choose(await aLargeFile(folder, 'other.mov', SIZE))
  await tray(page).getByText('You chose “other.mov”').waitFor()
  await choose(await aLargeFile(await aFolder(t), 'video.mov', SIZE - 1))
  await tray(page).getByText('199,999,999 bytes, not 200,000,000').waitFor()
  const newer = await aLargeFile(await aFolder(t), 'video.mov', SIZE)
  await utimes(newer, new Date(), new Date(Date.now() + 60_000))
  await choose(newer)
  await tray(page).getByText('This file differs from the one that you started to upload').waitFor()
  const started = parts.started()
  await choose(video)
  await tray(page).getByText('1 file uploaded').first().waitFor({ timeout: LONG_MS })
  assert.equal(parts.started() - started, SIZE / CHUNK - 2)
  const { data } = await client.assets().page()
  assert.deepEqual(
    data.map(({ filename, bytes }) => [filename, bytes]),
    [['video.mov', SIZE]],
  )
  // The browser reads the file in pieces, never as a whole.
  const growth = await readGrowth()
  t.diagnostic(`a process of the browser grew by ${growth} bytes`)
  assert.ok(growth < 0.75 * SIZE, `a process of the browser grew by ${growth} bytes`)
  await page.reload()
  await page.getByRole('link', { name: 'video.mov' }).waitFor()
  assert.equal(await tray(page).count(), 0)
})

test('an unfinished upload can be discarded after a reload', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const folder = await aFolder(t)
  const video = await aLargeFile(folder, 'video.mov', 12_000_000)
  const { page, context, service, client } = await openDashboard(t, {
    STOWAGE_CHUNK_SIZE: '1000000',
  })
  const parts = await watchParts(context, service, 1)
  await page.goto('/')
  await page.getByLabel('Files to upload').setInputFiles(video)
  await until('a part is stored', () => parts.accepted() === 1)

  // While the first tab is uploading, a second tab does not offer to resume the upload.
  const second = await context.newPage()
  await second.goto('/')
  await second.getByText('Drop your first file here').waitFor()
  assert.equal(await tray(second).count(), 0)
  await second.close()

  await page.reload()
  const discard = tray(page).getByRole('button', { name: 'Discard' })
  await discard.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).click()
  await discard.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard upload' }).click()
  await tray(page).waitFor({ state: 'detached' })
  await until('its storage is released', async () => (await client.account()).reserved === 0)
  await page.reload()
  await page.getByText('Drop your first file here').waitFor()
  assert.equal(await tray(page).count(), 0)
})

test('all unfinished uploads of the account are listed, resumed together and discarded', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, service } = await openDashboard(t)
  const start = (name: string, size: number, path?: string) =>
    fetch(`${service.baseUrl}/api/v1/assets/signed`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name, size, mime: 'text/plain', path }),
    })
  for (const name of ['one.txt', 'two.txt', 'three.txt']) await start(name, name.length)
  const started = await start('notes.txt', 9, 'course/a')
  await start('notes.txt', 9, 'course/b')
  const { urls } = (await started.json()) as UploadSession
  await fetch(urls[0]?.url ?? '', { method: 'PUT', body: 'of course' })
  await page.goto('/')
  await page.getByRole('link', { name: 'Unfinished' }).click()
  await page.getByRole('status').getByText('5 uploads').waitFor()
  await page.getByRole('button', { name: 'Discard three.txt' }).click()
  await page.getByRole('status').getByText('4 uploads').waitFor()
  const aFile = (name: string, content = name) => ({
    name,
    mimeType: 'text/plain',
    buffer: Buffer.from(content),
  })
  const held = Promise.withResolvers<void>()
  await page.route('**/upload?*', (route) => held.promise.then(() => route.continue()))
  await page.route('**/upload', (route) => held.promise.then(() => route.continue()))
  for (const name of ['wrong.txt', 'notes.txt']) {
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Resume notes.txt in course/a' }).click()
    await (await choosing).setFiles(aFile(name, 'of course'))
    if (name === 'wrong.txt') await page.getByText('Not resumed').waitFor()
  }
  await page.getByText('Not resumed').waitFor({ state: 'detached' })
  // Before the file is compared, the tray shows the bytes that the service has received.
  await tray(page).getByText('9 B of 9 B · waiting').waitFor()
  // An upload that this tab has resumed cannot be resumed again.
  const inFirstFolder = page.getByRole('row', { name: 'course/a' })
  await inFirstFolder.getByText('Uploading in this tab').waitFor()
  assert.equal(await inFirstFolder.getByRole('button').count(), 0)
  held.resolve()
  await page.getByRole('status').getByText('3 uploads').waitFor()
  const { data: stored } = await client.assets({ filename: 'notes' }).page()
  assert.deepEqual(
    stored.map(({ path }) => path),
    ['course/a'],
  )
  await page.getByRole('button', { name: 'Discard notes.txt in course/b' }).click()
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose files to resume' }).click()
  await (await choosing).setFiles([aFile('one.txt'), aFile('two.txt'), aFile('other.txt')])
  await page.getByText('matches the name, size and folder of “other.txt”').waitFor()
  await page.getByRole('heading', { name: 'No unfinished uploads' }).waitFor()
  const { data } = await client.assets({ sort: 'filename' }).page()
  assert.deepEqual(
    data.map(({ filename }) => filename),
    ['notes.txt', 'one.txt', 'two.txt'],
  )
})

test('an upload waits while the browser is offline, and resumes automatically', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const folder = await aFolder(t)
  const video = await aLargeFile(folder, 'video.mov', 8_000_000)
  const { page, context, service } = await openDashboard(t, { STOWAGE_CHUNK_SIZE: '1000000' })
  const parts = await watchParts(context, service, 3)
  await page.goto('/')
  await page.getByLabel('Files to upload').setInputFiles(video)
  await until('some parts are stored', () => parts.accepted() === 3)
  await context.setOffline(true)
  parts.release()
  await page.getByText('Offline', { exact: true }).waitFor()
  await tray(page).getByText('offline, resumes automatically').waitFor()
  await context.setOffline(false)
  await tray(page).getByText('1 file uploaded').first().waitFor()
  await page.getByText('Offline', { exact: true }).waitFor({ state: 'detached' })
})

test('an upload completes after the connection to the storage was interrupted', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const folder = await aFolder(t)
  const video = await aLargeFile(folder, 'video.mov', 8_000_000)
  const port = await freePort()
  const proxy = await startTcpProxy(port)
  cleanUp(t, () => proxy.stop())
  const { page, context, service, client } = await openDashboard(t, {
    STOWAGE_CHUNK_SIZE: '1000000',
    STOWAGE_STORAGE_PORT: `${port}`,
    STOWAGE_STORAGE_URL: `http://127.0.0.1:${proxy.port}`,
  })
  const parts = await watchParts(context, service, 3)
  await page.goto('/')
  await page.getByLabel('Files to upload').setInputFiles(video)
  await until('some parts are stored', () => parts.accepted() === 3)
  await proxy.stop()
  parts.release()
  await tray(page).getByText('retrying').waitFor()
  await proxy.start()
  await tray(page).getByText('1 file uploaded').first().waitFor()
  const { data } = await client.assets().page()
  assert.deepEqual(
    data.map(({ bytes }) => bytes),
    [8_000_000],
  )
})
