import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { aFolder, openDashboard, skipUnlessCi, until, whyNoBrowser } from './support/dashboard.ts'
import { drop } from './support/drop.ts'
import { watchParts } from './support/parts.ts'

const NO_BROWSER = await whyNoBrowser()
const tray = (page: Page) => page.getByRole('region', { name: 'Uploads' })
const chooser = (page: Page) => page.getByLabel('Files to upload')
const KEYS = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: 'an-admin-key-0123456789-abcdefghijk' }

function aFile(name: string, size: number) {
  return { name, mimeType: 'application/octet-stream', buffer: Buffer.alloc(size, name) }
}

for (const settings of [{}, KEYS]) {
  const mode = 'STOWAGE_AUTH' in settings ? 'with keys' : 'open'
  test(`files and folders are dropped on any page and stored (${mode})`, async (t) => {
    if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
    const folder = await aFolder(t)
    await mkdir(join(folder, 'course/deep/er'), { recursive: true })
    await mkdir(join(folder, 'course/empty'))
    const names = ['intro.txt', 'deep/two.txt', 'deep/er/three.txt', '.DS_Store']
    for (const name of names) await writeFile(join(folder, 'course', name), name)
    // More than the browser gives at a time.
    for (let number = 0; number < 120; number += 1) {
      await writeFile(join(folder, 'course', `lesson ${number}.txt`), `${number}`)
    }
    await writeFile(join(folder, 'alone.txt'), 'alone')
    const { page, client } = await openDashboard(t, settings)
    await page.goto('/products')
    await page.getByRole('heading', { name: 'Products', exact: true }).waitFor()
    await drop(page, [join(folder, 'alone.txt'), join(folder, 'course')])
    await tray(page).getByText('124 files uploaded').first().waitFor({ timeout: 120_000 })
    const stored = await client.assets({ limit: 1000 }).page()
    const found = stored.data.map(({ filename }) => filename)
    assert.equal(found.length, 124)
    for (const name of ['alone.txt', 'two.txt', 'three.txt']) assert.ok(found.includes(name), name)
    const three = stored.data.find(({ filename }) => filename === 'three.txt')
    assert.equal(await (await client.download(three?.id ?? '')).text(), 'deep/er/three.txt')

    // It stays while people move about, and lists learn of what is new.
    await page.getByRole('link', { name: 'Assets' }).click()
    await page.getByText('1 to 50 of 124').waitFor()
    await tray(page).getByRole('button', { name: 'Clear finished' }).click()
    await tray(page).waitFor({ state: 'detached' })
  })
}

test('an upload is paused, goes on, and is cancelled', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, service, client } = await openDashboard(t, {
    STOWAGE_CHUNK_SIZE: '1000000',
  })
  const parts = await watchParts(context, service, 2)
  await page.goto('/')
  await chooser(page).setInputFiles(aFile('film.bin', 6_000_000))
  await until('two parts are there', () => parts.taken() === 2)
  await tray(page)
    .getByText(/^2 MB of 6 MB/)
    .first()
    .waitFor()
  await tray(page).getByRole('button', { name: 'Pause: film.bin' }).click()
  await tray(page)
    .getByText(/^Paused at 2 MB of 6 MB/)
    .waitFor()
  const begun = parts.begun()
  parts.release()
  await page.getByRole('link', { name: 'Settings' }).click()
  await tray(page)
    .getByText(/^Paused at/)
    .waitFor()
  assert.equal(parts.begun(), begun)
  await tray(page).getByRole('button', { name: 'Go on: film.bin' }).click()
  await tray(page).getByText('1 file uploaded').first().waitFor()
  assert.equal(parts.taken(), 6)
  await tray(page).getByRole('link', { name: 'film.bin' }).click()
  await page.getByText('6 MB (6,000,000 bytes)').waitFor()
  assert.equal((await client.account()).stored, 6_000_000)
})

test('whoever pauses by keyboard goes on with the same key', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, service } = await openDashboard(t)
  const parts = await watchParts(context, service, 0)
  await page.goto('/')
  await chooser(page).setInputFiles(aFile('film.bin', 1000))
  await until('it is on its way', () => parts.begun() === 1)
  await tray(page).getByRole('button', { name: 'Pause: film.bin' }).focus()
  await page.keyboard.press('Enter')
  await tray(page)
    .getByText(/^Paused at/)
    .waitFor()
  parts.release()
  await page.keyboard.press('Enter')
  await tray(page).getByText('1 file uploaded').first().waitFor()
})

test('an upload that is cancelled leaves nothing behind', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, service, client } = await openDashboard(t, {
    STOWAGE_CHUNK_SIZE: '1000000',
  })
  const parts = await watchParts(context, service, 2)
  await page.goto('/')
  await chooser(page).setInputFiles([aFile('a.bin', 3_000_000), aFile('b.bin', 3_000_000)])
  await until('two parts are there', () => parts.taken() === 2)
  assert.equal((await client.account()).reserved, 6_000_000)
  await tray(page).getByRole('button', { name: 'Cancel: a.bin' }).click()
  await until('its room is free', async () => (await client.account()).reserved === 3_000_000)
  await tray(page).getByRole('button', { name: 'Pause all' }).click()
  await tray(page).getByText('Paused · 0 of 1 file done').waitFor()
  await tray(page).getByRole('button', { name: 'Cancel: b.bin' }).click()
  await tray(page).waitFor({ state: 'detached' })
  await until('all is free', async () => (await client.account()).reserved === 0)
  await page.reload()
  await page.getByText('Drop your first file here').waitFor()
  assert.equal(await tray(page).count(), 0)
})

test('where there is no room it is said before a byte is sent, and what fits may go', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, service, client } = await openDashboard(t, {
    STOWAGE_PLAN_STORAGE: '1MB',
  })
  const parts = await watchParts(context, service)
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') asked.push(request.url())
  })
  await page.goto('/')
  await chooser(page).setInputFiles([aFile('large.bin', 700_000), aFile('small.bin', 400_000)])
  const note = page.getByRole('alert').filter({ hasText: 'Not enough storage' })
  await note.getByText('These 2 files need 1.1 MB, and 1 MB is free.').waitFor()
  assert.deepEqual([asked, parts.begun()], [[], 0])
  await note.getByRole('button', { name: 'Upload 1 file that fits' }).click()
  await tray(page).getByText('1 file uploaded').first().waitFor()
  const { data } = await client.assets().page()
  assert.deepEqual(
    data.map(({ filename }) => filename),
    ['large.bin'],
  )

  await chooser(page).setInputFiles(aFile('small.bin', 400_000))
  await note.getByText('“small.bin” needs 400 kB, and 300 kB is free.').waitFor()
  await note.getByRole('button', { name: 'Dismiss' }).click()
  await note.waitFor({ state: 'detached' })
  assert.equal(parts.begun(), 1)
})

test('what there was no room for is still told when other files are taken', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page } = await openDashboard(t, { STOWAGE_PLAN_STORAGE: '1MB' })
  await page.goto('/')
  await chooser(page).setInputFiles(aFile('large.bin', 2_000_000))
  const note = page.getByRole('alert').filter({ hasText: 'Not enough storage' })
  await note.getByText('“large.bin” needs 2 MB, and 1 MB is free.').waitFor()
  await chooser(page).setInputFiles(aFile('small.bin', 400_000))
  await tray(page).getByText('1 file uploaded').first().waitFor()
  await note.getByText('“large.bin” needs 2 MB, and 600 kB is free.').waitFor()
})

test('a folder without files is not passed over in silence', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const folder = await aFolder(t)
  await mkdir(join(folder, 'course/empty'), { recursive: true })
  const { page } = await openDashboard(t)
  await page.goto('/')
  await drop(page, [join(folder, 'course')])
  await page.getByRole('alert').getByText('There are no files in the folder.').waitFor()
  assert.equal(await tray(page).count(), 0)
})

test('room that another took meanwhile is told too; once there is some, it is tried again', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t, { STOWAGE_PLAN_STORAGE: '1MB' })
  const other = await client.upload(new Blob(['x'.repeat(800_000)]), { name: 'other.bin' })
  await page.goto('/')
  const data = { available: 1_000_000 }
  await page.route('**/api/v1/account', (route) => route.fulfill({ json: { data } }))
  await chooser(page).setInputFiles(aFile('mine.bin', 500_000))
  await tray(page).getByText('It needs 500 kB, and 200 kB is free.').waitFor()
  await client.delete(other.id)
  await tray(page).getByRole('button', { name: 'Try again: mine.bin' }).click()
  await tray(page).getByText('1 file uploaded').first().waitFor()
})

test('the browser asks before it leaves the page while something is under way', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, context, service } = await openDashboard(t)
  const parts = await watchParts(context, service, 0)
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    return dialog.dismiss()
  })
  await page.goto('/')
  // Browsers ask those only who have touched the page.
  await page.getByRole('heading', { name: 'Assets' }).click()
  await chooser(page).setInputFiles(aFile('film.bin', 1000))
  await until('it is on its way', () => parts.begun() === 1)
  await page.evaluate('void setTimeout(() => location.reload())')
  await until('the browser asks', () => asked.length === 1)
  assert.deepEqual(asked, ['beforeunload'])
  parts.release()
  await tray(page).getByText('1 file uploaded').first().waitFor()
  await page.reload()
  assert.equal(asked.length, 1)
})
