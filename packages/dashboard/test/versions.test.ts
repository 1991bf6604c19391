import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { storeFiles, storeProducts } from './support/assets.ts'
import { assertAccessible, DIALOG } from './support/axe.ts'
import {
  aFolder,
  missingForBrowser,
  openDashboard,
  skipUnlessCi,
  until,
} from './support/dashboard.ts'
import { drop, watchParts } from './support/uploads.ts'

const NO_BROWSER = await missingForBrowser()
const OVERLAY = 'Drop a file to replace'
const tray = (page: Page) => page.getByRole('region', { name: 'Uploads' })
const versions = (page: Page) => page.getByRole('region', { name: 'Versions' })
const preview = (page: Page) => page.getByRole('region', { name: 'Preview' })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Opens the dialog with a file of this content. */
async function choose(page: Page, name: string, content: string | Buffer): Promise<void> {
  const choosing = page.waitForEvent('filechooser')
  await button(page, 'Replace file').click()
  const file = { name, mimeType: 'text/plain', buffer: Buffer.from(content) }
  await (await choosing).setFiles(file)
  await page.getByRole('dialog', { name: 'Replace this file?' }).waitFor()
}

test('a file is replaced by a chosen or a dropped one, and its versions are restored, downloaded and deleted', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t, { STOWAGE_KEEP_VERSIONS: '5' })
  const [asset] = await storeFiles(client, [{ name: 'book.txt', content: 'first edition' }])
  const [product] = await storeProducts(client, ['E-book'])
  const id = asset?.id ?? ''
  await client.attach(id, { products: [product?.id ?? ''] })
  await page.goto(`/assets/${id}`)
  await preview(page).getByText('first edition').waitFor()
  await choose(page, 'book 2.md', 'second edition')
  assert.ok(await page.getByRole('checkbox', { name: /^Use the name/ }).isChecked())
  await assertAccessible(page, 'the dialog to replace a file', DIALOG)
  await button(page, 'Replace').click()
  await preview(page).getByText('second edition').waitFor()
  await heading(page, 'book 2.md').waitFor()
  await page.getByText('E-book').waitFor()
  const rows = versions(page).getByRole('listitem')
  await until('there are two versions', async () => (await rows.count()) === 2)
  assert.match(`${await rows.first().textContent()}`, /^Version 2Current14 B · /)
  assert.match(`${await rows.last().textContent()}`, /^Version 1book\.txt13 B · .*Restore$/)
  await assertAccessible(page, 'versions')

  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download version 1' }).click()
  const download = await downloading
  assert.equal(download.suggestedFilename(), 'book.txt')
  assert.equal(await readFile(await download.path(), 'utf8'), 'first edition')
  await button(page, 'Restore version 1').press('Enter')
  await preview(page).getByText('first edition').waitFor()
  await heading(page, 'book.txt').waitFor()
  await button(page, 'Restore version 2').waitFor()
  await button(page, 'Undo').press('Enter')
  await preview(page).getByText('second edition').waitFor()

  const folder = await aFolder(t)
  await mkdir(join(folder, 'more'))
  for (const name of ['book 2.md', 'more/extra.txt']) await writeFile(join(folder, name), name)
  await drop(page, [join(folder, 'book 2.md'), join(folder, 'more')], OVERLAY)
  await page.getByRole('dialog').getByText('You dropped 2 files.').waitFor()
  await assertAccessible(page, 'the dialog about several files', DIALOG)
  await page.keyboard.press('Escape')
  await drop(page, [join(folder, 'more')], OVERLAY)
  await page.getByRole('dialog').getByText('You dropped a folder with 1 file.').waitFor()
  await button(page, 'Upload 1 file as a new asset').click()
  await tray(page).getByText('2 files uploaded').first().waitFor()
  await drop(page, [join(folder, 'book 2.md')], OVERLAY)
  await page.getByRole('dialog', { name: 'Replace this file?' }).waitFor()
  // The button has the focus.
  await page.keyboard.press('Enter')
  await preview(page).getByText('book 2.md').waitFor()
  await button(page, 'Delete version 1').click()
  await page.getByRole('dialog').getByText('Version 1 (13 B) of “book.txt”').waitFor()
  await assertAccessible(page, 'the dialog to delete a version', DIALOG)
  await button(page, 'Delete version').click()
  await page.getByText('Version 1 deleted').waitFor()
  const kept = await client.versions(id)
  assert.deepEqual(
    kept.map(({ version, current }) => [version, current]),
    [
      [3, true],
      [2, false],
    ],
  )
  const { assets, stored } = await client.account()
  assert.deepEqual([assets, stored], [2, 9 + 14 + 14])
})

test('a file that is saved and chosen again, at the same path, replaces the asset again', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const [asset] = await storeFiles(client, [{ name: 'book.txt', content: 'first' }])
  const path = join(await aFolder(t), 'book.txt')
  await page.goto(`/assets/${asset?.id}`)
  for (const content of ['second', 'third']) {
    await writeFile(path, content)
    const choosing = page.waitForEvent('filechooser')
    await button(page, 'Replace file').click()
    await (await choosing).setFiles(path)
    await button(page, 'Replace').click()
    await preview(page).getByText(content).waitFor()
  }
})

test('the third replacement removes the first file only after the dialog has named it, and Activity shows it', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t, { STOWAGE_KEEP_VERSIONS: '2' })
  const [asset] = await storeFiles(client, [{ name: 'book.txt', content: 'edition 1' }])
  const id = asset?.id ?? ''
  for (const number of [2, 3]) await client.replace(id, new Blob([`edition ${number}`]))
  await page.goto(`/assets/${id}`)
  await versions(page).getByText('The last 2 older versions are kept.').waitFor()
  await choose(page, 'book.txt', 'edition 4')
  const warning =
    'Version 1 (book.txt, 9 B) will be removed for good. To keep it, download it first.'
  await page.getByRole('dialog').getByText(warning).waitFor()
  await assertAccessible(page, 'the dialog that names the version to be removed', DIALOG)
  await button(page, 'Replace').click()
  await preview(page).getByText('edition 4').waitFor()
  const kept = await client.versions(id)
  assert.deepEqual(
    kept.map(({ version }) => version),
    [4, 3, 2],
  )
  await page.getByRole('link', { name: 'Activity' }).click()
  await page.getByText('Deleted version 1').waitFor()
  await page.getByText('Replaced by version 4').waitFor()
})

test('a replacement that is refused shows the reason, and succeeds once the reason is gone', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, service } = await openDashboard(t, { STOWAGE_PLAN_STORAGE: '1kB' })
  const [asset] = await storeFiles(client, [{ name: 'book.txt' }])
  const id = asset?.id ?? ''
  await page.goto(`/assets/${id}`)
  await choose(page, 'book.txt', 'x'.repeat(2000))
  await button(page, 'Replace').click()
  await page.getByText('2 kB needed, 992 B available').waitFor()
  await button(page, 'Dismiss').click()

  await fetch(`${service.baseUrl}/api/v1/assets/${id}/signed`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ size: 5 }),
  })
  await choose(page, 'book.txt', 'second')
  await button(page, 'Replace').click()
  const text =
    /Another replacement of this asset is unfinished\. .* discard it on the page “Unfinished uploads”/
  await tray(page).getByText(text).waitFor()
  await assertAccessible(page, 'a replacement that was refused')
  await button(page, 'Cancel: book.txt').click()
  await tray(page).waitFor({ state: 'detached' })
  await choose(page, 'book.txt', 'second')
  await button(page, 'Replace').click()
  await tray(page).getByText(text).waitFor()
  await page.getByRole('link', { name: 'Unfinished' }).click()
  await page.getByText('New version of an asset').waitFor()
  await button(page, 'Discard book.txt').click()
  await page.getByText('No unfinished uploads').waitFor()
  await button(page, 'Try again: book.txt').click()
  await tray(page).getByText('1 file uploaded').first().waitFor()
  await tray(page).getByRole('link', { name: 'book.txt' }).click()
  await preview(page).getByText('second').waitFor()

  // The asset is deleted elsewhere. The page still shows it, because requests for the asset get no response.
  await page.route(`**/api/v1/assets/${id}?*`, () => {})
  await client.delete(id)
  await choose(page, 'book.txt', 'third')
  await button(page, 'Replace').click()
  await tray(page).getByText('The asset was deleted, so its file cannot be replaced.').waitFor()
  // Cancelling an upload that the service refused is not an error.
  await button(page, 'Cancel: book.txt').click()
  await tray(page).getByText('1 file uploaded').first().waitFor()
  assert.equal(await page.getByText('Could not cancel the upload').count(), 0)
})

test('after a reload interrupts a replacement, it is resumed from the tray', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, context, service } = await openDashboard(t, {
    STOWAGE_CHUNK_SIZE: '1000000',
  })
  const [asset] = await storeFiles(client, [{ name: 'book.txt', content: 'first edition' }])
  const parts = await watchParts(context, service, 1)
  const path = join(await aFolder(t), 'book 2.txt')
  await writeFile(path, Buffer.alloc(3_000_000, 'second edition\n'))
  await page.goto(`/assets/${asset?.id}`)
  await drop(page, [path], OVERLAY)
  await button(page, 'Replace').click()
  await until('a part is stored', () => parts.accepted() === 1)
  await tray(page).getByText('New version of book.txt').waitFor()
  await preview(page).getByText('first edition').waitFor()
  // The file is being replaced already.
  await drop(page, [path], OVERLAY)
  await page.getByText('This file is already being replaced').waitFor()
  await page.getByRole('link', { name: 'All assets' }).click()
  await page.getByText('This file is already being replaced').waitFor({ state: 'detached' })
  await page.goBack()
  await preview(page).getByText('first edition').waitFor()
  page.on('dialog', (dialog) => dialog.accept())
  await page.reload()
  parts.release()
  await tray(page).getByText('New version of book.txt').waitFor()
  const choosing = page.waitForEvent('filechooser')
  await button(page, 'Choose file to resume').click()
  await (await choosing).setFiles(path)
  await tray(page).getByText('1 file uploaded').first().waitFor()
  await preview(page).getByText('second edition').first().waitFor()
  const { version, filename, bytes } = await client.asset(asset?.id ?? '')
  assert.deepEqual([version, filename, bytes], [2, 'book.txt', 3_000_000])
})
