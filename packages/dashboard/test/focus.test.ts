import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { storeFiles, storeProducts } from './support/assets.ts'
import {
  leaveDialog,
  missingForBrowser,
  openDashboard,
  openPage,
  skipUnlessCi,
  until,
} from './support/dashboard.ts'
import { watchParts } from './support/uploads.ts'

const NO_BROWSER = await missingForBrowser()
const FOCUSED = `(() => {
  const it = document.activeElement
  return it.ariaLabel ?? (it.matches('main, body') ? it.tagName : it.innerText)
})()`

/** Waits until no dialog is open and the element with this name has the focus. */
async function untilFocused(page: Page, name: string): Promise<void> {
  let found = ''
  await until('the focus moves', async () => {
    if ((await page.getByRole('dialog').count()) > 0) return false
    found = await page.evaluate<string>(FOCUSED)
    return found === name
  }).catch(() => assert.equal(found, name))
}

/** The dialog moves the focus to its Cancel button soon after it opens. A key that is pressed meanwhile would cancel it. */
async function confirm(page: Page, name: string): Promise<void> {
  await until('Cancel has the focus', async () => (await page.evaluate(FOCUSED)) === 'Cancel')
  await page.getByRole('button', { name, exact: true }).press('Enter')
}

test('after a product is deleted, the focus moves to the next product, or else to the previous one, or else to the page', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await storeProducts(client, ['One', 'Two', 'Three'])
  await page.goto('/products')
  const deleteFocused = async () => {
    await page.keyboard.press('Enter')
    await confirm(page, 'Delete product')
  }
  await page.getByRole('button', { name: 'Delete Two' }).focus()
  await page.keyboard.press('Enter')
  await leaveDialog(page)
  await untilFocused(page, 'Delete Two')
  await deleteFocused()
  await untilFocused(page, 'Delete One')
  await deleteFocused()
  await untilFocused(page, 'Delete Three')
  await deleteFocused()
  await page.getByText('Import your products').waitFor()
  await untilFocused(page, 'MAIN')
})

test('after the selected assets are attached or deleted, the focus moves to the page', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await storeFiles(client, [{ name: 'one' }, { name: 'two' }])
  await storeProducts(client, ['Poster'])
  await page.goto('/')
  const press = (name: string) => page.getByRole('button', { name, exact: true }).press('Enter')
  await page.getByRole('checkbox', { name: 'Select two' }).press('Space')
  for (const name of ['Attach to products', 'Delete']) {
    await press(name)
    await leaveDialog(page)
    await untilFocused(page, name)
  }
  await press('Attach to products')
  await page.getByRole('combobox', { name: 'Products' }).fill('post')
  await page.getByRole('option', { name: 'Poster' }).click()
  await press('Attach')
  await page.getByText('two attached to 1 product').waitFor()
  await untilFocused(page, 'MAIN')
  await page.getByRole('checkbox', { name: 'Select two' }).press('Space')
  await press('Delete')
  await confirm(page, 'Delete asset')
  await page.getByText('two deleted').waitFor()
  await untilFocused(page, 'MAIN')
  assert.equal((await client.account()).assets, 1)
})

test('after a dialog is closed, the focus returns to the control that opened it', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, context, service } = await openDashboard(t)
  const [product] = await storeProducts(client, ['Poster'])
  const [asset] = await storeFiles(client, [{ name: 'one' }])
  await client.createKey({ name: 'old', scope: 'read' })
  const press = (name: string) => page.getByRole('button', { name, exact: true }).press('Enter')
  const openAndLeave = async (name: string) => {
    await press(name)
    await leaveDialog(page)
    await untilFocused(page, name)
  }
  await page.goto(`/products/${product?.id}`)
  await openAndLeave('Delete')
  await openPage(page, `/assets/${asset?.id}`)
  await openAndLeave('Delete')
  await openPage(page, '/settings')
  await openAndLeave('Create key')
  await openAndLeave('Revoke old')
  await press('Create key')
  await page.getByRole('dialog').getByLabel('Name').fill('new')
  await page.keyboard.press('Enter')
  await page.getByText('It will not be shown again').waitFor()
  await until('the focus is on Copy', async () => (await page.evaluate(FOCUSED)) === 'Copy')
  await press('I have saved it')
  await untilFocused(page, 'Create key')
  await press('Revoke old')
  await confirm(page, 'Revoke key')
  await untilFocused(page, 'Revoke new')

  await openPage(page, '/')
  // Without motion, the menu disappears before the dialog opens.
  for (const reducedMotion of ['reduce', 'no-preference'] as const) {
    await page.emulateMedia({ reducedMotion })
    await press('More upload options')
    await page.getByRole('menuitem', { name: 'Add URL' }).press('Enter')
    await leaveDialog(page)
    await untilFocused(page, 'More upload options')
  }
  const parts = await watchParts(context, service, 0)
  const names = ['a', 'b']
  const files = names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.alloc(9) }))
  await page.getByLabel('Files to upload').setInputFiles(files)
  await until('both uploads have started', () => parts.started() === 2)
  await openAndLeave('Cancel all')
  await press('Cancel: a')
  await untilFocused(page, 'Cancel: b')
  await page.keyboard.press('Enter')
  await untilFocused(page, 'MAIN')
})

test('after a product is detached, the focus moves to the next one', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const products = (await storeProducts(client, ['One', 'Two'])).map(({ id }) => id)
  const [asset] = await storeFiles(client, [{ name: 'file' }])
  await client.attach(asset?.id ?? '', { products })
  await page.goto(`/assets/${asset?.id}`)
  await page.getByRole('button', { name: 'Detach One' }).press('Enter')
  await untilFocused(page, 'Detach Two')
  await page.keyboard.press('Enter')
  await page.getByText('Not attached to any product').waitFor()
  await untilFocused(page, 'MAIN')
})

test('after a search is cleared, its field has the focus', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await storeFiles(client, [{ name: 'file' }])
  await page.goto('/?search=f')
  await page.getByRole('button', { name: 'Clear: Search assets' }).press('Enter')
  await untilFocused(page, 'Search assets')
})
