import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '@stowage/testing/machine/free-port'
import { startTcpProxy } from '@stowage/testing/proxies/tcp-proxy'
import type { BrowserContext, Page } from 'playwright-core'
import {
  aFolder,
  cleanUp,
  openDashboard,
  skipUnlessCi,
  until,
  whyNoBrowser,
} from './support/dashboard.ts'
import { drop } from './support/drop.ts'
import { watchParts } from './support/parts.ts'
import { openStorageGate } from './support/storage-gate.ts'

const NO_BROWSER = await whyNoBrowser()
const SIZE = 500_000_000
const LONG_MS = 240_000
const tray = (page: Page) => page.getByRole('region', { name: 'Uploads' })

/** A file that takes no place on this disk: all of it is zero. */
async function aLargeFile(folder: string, name: string, size: number): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, '')
  await truncate(path, size)
  return path
}

/** The most memory that any process of the browser ever had. */
async function peakMemory(context: BrowserContext): Promise<number> {
  const session = await context.browser()?.newBrowserCDPSession()
  const { processInfo } = (await session?.send('SystemInfo.getProcessInfo')) ?? { processInfo: [] }
  const peaks = processInfo.map(({ id }) => {
    const status = readFileSync(`/proc/${id}/status`, 'utf8')
    return 1024 * Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0)
  })
  await session?.detach()
  return Math.max(...peaks)
}

test('500 MB are dropped in, paused, cut off by a reload, and finished with the missing parts only', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const folder = await aFolder(t)
  const film = await aLargeFile(folder, 'film.mov', SIZE)
  const parts = await openStorageGate(t, 2)
  const { page, context, client } = await openDashboard(t, parts.settings)
  await page.goto('/')
  await page.getByText('Drop your first file here').waitFor()
  const before = await peakMemory(context)
  await drop(page, [film])
  await until('two parts are there', () => parts.taken() === 2, LONG_MS)
  await tray(page).getByRole('button', { name: 'Pause: film.mov' }).click()
  await tray(page)
    .getByText(/^Paused at 2\d\d MB of 500 MB/)
    .waitFor()
  page.on('dialog', (dialog) => dialog.accept())
  await page.reload()
  parts.release()
  await tray(page).getByText('Not finished before this page was loaded').waitFor()

  const choose = async (path: string) => {
    const choosing = page.waitForEvent('filechooser')
    await tray(page).getByRole('button', { name: 'Choose the file to go on' }).click()
    await (await choosing).setFiles(path)
  }
  await choose(await aLargeFile(folder, 'other.mov', SIZE))
  await tray(page).getByText('You chose “other.mov”').waitFor()
  await choose(await aLargeFile(await aFolder(t), 'film.mov', SIZE - 1))
  await tray(page).getByText('499999999 bytes, not 500000000').waitFor()
  const newer = await aLargeFile(await aFolder(t), 'film.mov', SIZE)
  await utimes(newer, new Date(), new Date(Date.now() + 60_000))
  await choose(newer)
  await tray(page).getByText('not the file as it was when its upload began').waitFor()
  const begun = parts.begun()
  await choose(film)
  await tray(page).getByText('1 file uploaded').first().waitFor({ timeout: LONG_MS })
  assert.equal(parts.begun() - begun, 3)
  const { data } = await client.assets().page()
  assert.deepEqual(
    data.map(({ filename, bytes }) => [filename, bytes]),
    [['film.mov', SIZE]],
  )
  // Read in pieces, never as a whole.
  const growth = (await peakMemory(context)) - before
  t.diagnostic(`the largest process of the browser grew by ${growth} bytes`)
  assert.ok(growth < SIZE / 2, `a process of the browser grew by ${growth} bytes`)
  await page.reload()
  await page.getByRole('link', { name: 'film.mov' }).waitFor()
  assert.equal(await tray(page).count(), 0)
})

test('what is unfinished can be given up after a reload', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const folder = await aFolder(t)
  const film = await aLargeFile(folder, 'film.mov', 12_000_000)
  const { page, context, service, client } = await openDashboard(t, {
    STOWAGE_CHUNK_SIZE: '1000000',
  })
  const parts = await watchParts(context, service, 1)
  await page.goto('/')
  await page.getByLabel('Files to upload').setInputFiles(film)
  await until('a part is there', () => parts.taken() === 1)

  // A second tab knows that it is under way in the first one.
  const second = await context.newPage()
  await second.goto('/')
  await second.getByText('Drop your first file here').waitFor()
  assert.equal(await tray(second).count(), 0)
  await second.close()

  await page.reload()
  const giveUp = tray(page).getByRole('button', { name: 'Give it up' })
  await giveUp.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click()
  await giveUp.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Give the upload up' }).click()
  await tray(page).waitFor({ state: 'detached' })
  await until('its room is free', async () => (await client.account()).reserved === 0)
  await page.reload()
  await page.getByText('Drop your first file here').waitFor()
  assert.equal(await tray(page).count(), 0)
})

test('while the browser is offline it says so, and goes on by itself', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const folder = await aFolder(t)
  const film = await aLargeFile(folder, 'film.mov', 8_000_000)
  const { page, context, service } = await openDashboard(t, { STOWAGE_CHUNK_SIZE: '1000000' })
  const parts = await watchParts(context, service, 3)
  await page.goto('/')
  await page.getByLabel('Files to upload').setInputFiles(film)
  await until('some parts are there', () => parts.taken() === 3)
  await context.setOffline(true)
  parts.release()
  await page.getByText('Offline', { exact: true }).waitFor()
  await tray(page).getByText('offline, goes on by itself').waitFor()
  await context.setOffline(false)
  await tray(page).getByText('1 file uploaded').first().waitFor()
  await page.getByText('Offline', { exact: true }).waitFor({ state: 'detached' })
})

test('the line to the storage is cut and restored: the upload is whole', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const folder = await aFolder(t)
  const film = await aLargeFile(folder, 'film.mov', 8_000_000)
  const port = await freePort()
  const line = await startTcpProxy(port)
  cleanUp(t, () => line.stop())
  const { page, context, service, client } = await openDashboard(t, {
    STOWAGE_CHUNK_SIZE: '1000000',
    STOWAGE_STORAGE_PORT: `${port}`,
    STOWAGE_STORAGE_URL: `http://127.0.0.1:${line.port}`,
  })
  const parts = await watchParts(context, service, 3)
  await page.goto('/')
  await page.getByLabel('Files to upload').setInputFiles(film)
  await until('some parts are there', () => parts.taken() === 3)
  await line.stop()
  parts.release()
  await tray(page).getByText('trying again').waitFor()
  await line.start()
  await tray(page).getByText('1 file uploaded').first().waitFor()
  const { data } = await client.assets().page()
  assert.deepEqual(
    data.map(({ bytes }) => bytes),
    [8_000_000],
  )
})
