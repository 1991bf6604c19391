import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeClient } from '@stowage/client/node'
import { untilRows } from './support/assets.ts'
import { assertAccessible, DIALOG } from './support/axe.ts'
import { missingForBrowser, openDashboard, skipUnlessCi, until } from './support/dashboard.ts'

const NO_BROWSER = await missingForBrowser()
const PHONE = { width: 390, height: 844 }

async function storeLinks(client: NodeClient, paths: (string | null)[]): Promise<void> {
  for (const [index, path] of paths.entries()) {
    await client.store({ filename: `${index}.zip`, url: 'https://example.com/', path })
  }
}

test('the folders next to the list are browsed with the keyboard, level by level', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await storeLinks(client, ['course', 'course/week 1', 'course/week 1/extra', 'samples', null])
  await page.goto('/')
  await page.getByRole('button', { name: 'Folders', exact: true }).click()
  const tree = page.getByRole('navigation', { name: 'Folders' })
  await tree.getByRole('link', { name: 'course 3' }).focus()
  await page.keyboard.press('ArrowRight')
  await tree.getByRole('link', { name: 'week 1 2' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await tree.getByRole('link', { name: 'week 1' }).and(page.locator(':focus')).waitFor()
  await assertAccessible(page, 'the folders')
  await page.keyboard.press('Enter')
  await untilRows(page, ['2.zip', '1.zip'])
  await page.keyboard.press('ArrowLeft')
  await tree.getByRole('link', { name: 'course' }).and(page.locator(':focus')).waitFor()

  const bar = page.getByRole('navigation', { name: 'Folder', exact: true })
  await bar.getByLabel('With subfolders').uncheck()
  await untilRows(page, ['1.zip'])
  await assertAccessible(page, 'a folder')
  await bar.getByRole('link', { name: 'course' }).click()
  await untilRows(page, ['2.zip', '1.zip', '0.zip'])
  await tree.getByRole('link', { name: 'No folder' }).click()
  await untilRows(page, ['4.zip'])
  await page.getByRole('button', { name: 'Show the assets of all folders' }).click()
  await untilRows(page, ['4.zip', '3.zip', '2.zip', '1.zip', '0.zip'])
  // The browser remembers that the folders are shown.
  await page.goto('/?path=course/week 1')
  await tree.getByRole('link', { name: 'week 1' }).waitFor()
  await page.getByRole('button', { name: 'Folders', exact: true }).click()
  await tree.waitFor({ state: 'detached' })
})

test('on a phone, the folders are in a dialog', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await storeLinks(client, ['course', 'course/week 1', null])
  await page.setViewportSize(PHONE)
  await page.goto('/')
  await page.getByRole('button', { name: 'Folders', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Folders' })
  await dialog.getByRole('button', { name: 'Subfolders of course' }).click()
  await dialog.getByRole('link', { name: 'week 1' }).waitFor()
  await assertAccessible(page, 'the folders on a phone', DIALOG)
  await dialog.getByRole('link', { name: 'week 1' }).click()
  await dialog.waitFor({ state: 'detached' })
  await untilRows(page, ['1.zip'])
})

test('a folder is renamed, and merged with an existing one only after a warning', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await storeLinks(client, ['course/week 1', 'course/week 1', 'samples'])
  await page.goto('/?path=course/week 1')
  await untilRows(page, ['1.zip', '0.zip'])
  const open = () => page.getByRole('button', { name: 'Rename or move' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rename or move the folder' })
  const field = dialog.getByLabel('Folder', { exact: false }).first()
  await open()
  await dialog.getByText('2 assets in it and below it will be moved').waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Move' }).isEnabled(), false)
  await field.fill('course/week 1/old')
  await page.keyboard.press('Enter')
  await dialog.getByText('must not be inside the folder that is moved').waitFor()
  await field.fill('course/introduction')
  await page.keyboard.press('Enter')
  await page.getByText('2 assets moved to “course/introduction”').waitFor()
  await untilRows(page, ['1.zip', '0.zip'])
  const pathOf = () => new URL(page.url()).searchParams.get('path')
  assert.equal(pathOf(), 'course/introduction')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('2 assets moved to “course/week 1”').waitFor()
  await untilRows(page, ['1.zip', '0.zip'])
  assert.equal(pathOf(), 'course/week 1')

  // On another page, it does not lead back.
  await page.goto('/?path=samples')
  await open()
  await field.fill('loops')
  await page.keyboard.press('Enter')
  await page.getByText('1 asset moved to “loops”').waitFor()
  await page.getByRole('link', { name: 'Orders' }).click()
  await page.getByRole('heading', { name: 'Orders', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('1 asset moved to “samples”').waitFor()
  assert.equal(new URL(page.url()).pathname, '/orders')
  await page.goto('/?path=course/week 1')
  await untilRows(page, ['1.zip', '0.zip'])

  await open()
  await field.fill('samples')
  await dialog.getByText('“samples” already has 1 asset').waitFor()
  await assertAccessible(page, 'the dialog to move a folder', DIALOG)
  assert.equal(await dialog.getByRole('button', { name: 'Merge' }).isEnabled(), false)
  await dialog.getByLabel('Merge the folders').check()
  await dialog.getByRole('button', { name: 'Merge' }).click()
  await untilRows(page, ['2.zip', '1.zip', '0.zip'])
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0)

  // A folder without assets no longer exists.
  const { data } = await client.assets({ path: 'samples' }).page()
  await page.getByRole('button', { name: 'Download as ZIP' }).waitFor()
  await client.bulk({ action: 'delete', ids: data.map(({ id }) => id) })
  await page.getByText('No matching assets').waitFor()
  for (const name of ['Rename or move', 'Download as ZIP']) {
    assert.equal(await page.getByRole('button', { name }).count(), 0, name)
  }
})

test('while a folder is moved, its dialog does not take the moved assets for a conflict', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await storeLinks(client, ['old', 'old', 'old'])
  const { data } = await client.assets({ sort: 'filename' }).page()
  await page.goto('/?path=old')
  await untilRows(page, ['2.zip', '1.zip', '0.zip'])
  // The service moves the assets in several steps. The page hears of each.
  let wasConflict = false
  await page.route('**/api/v1/folders/move', async (route) => {
    for (const [index, rows] of [['2.zip', '1.zip'], ['2.zip']].entries()) {
      await client.bulk({ action: 'move', ids: [data[index]?.id ?? ''], path: 'new' })
      await untilRows(page, rows)
      wasConflict ||= await page.getByText('already has').first().isVisible()
    }
    await route.fallback()
  })
  await page.getByRole('button', { name: 'Rename or move' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rename or move the folder' })
  await dialog.getByText('3 assets in it and below it will be moved').waitFor()
  await dialog.getByLabel('Folder', { exact: false }).first().fill('new')
  await page.keyboard.press('Enter')
  // This call comes too late, and is refused. Then the dialog shows the folders as they are.
  await page.getByText('“new” already has 2 assets').waitFor()
  assert.equal(wasConflict, false)
  await client.bulk({ action: 'move', ids: [data[2]?.id ?? ''], path: 'new' })
  await page.getByText('No matching assets').waitFor()
  assert.ok(await dialog.isVisible())
})

test('selected assets are moved to a folder, and back', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await storeLinks(client, ['a', null, null])
  const pathsOf = async () => {
    const { data } = await client.assets({ sort: 'filename' }).page()
    return data.map(({ path }) => path)
  }
  await page.goto('/')
  await page.getByRole('checkbox', { name: 'Select 0.zip' }).click()
  await page.getByRole('checkbox', { name: 'Select 1.zip' }).click()
  await page
    .getByRole('region', { name: 'Selection' })
    .getByRole('button', { name: 'Move' })
    .click()
  const dialog = page.getByRole('dialog', { name: 'Move 2 assets to a folder' })
  await dialog.getByLabel('Folder').fill('../x')
  await page.keyboard.press('Enter')
  await dialog.getByText('must not contain the folders').waitFor()
  await dialog.getByLabel('Folder').fill('course/week 1')
  await assertAccessible(page, 'the dialog to move assets', DIALOG)
  await page.keyboard.press('Enter')
  await page.getByText('2 assets moved to “course/week 1”').waitFor()
  assert.deepEqual(await pathsOf(), ['course/week 1', 'course/week 1', null])
  await page.getByRole('button', { name: 'Undo' }).click()
  await until('they are back', async () => (await pathsOf()).join() === 'a,,')
})
