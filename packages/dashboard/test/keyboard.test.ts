import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { rowNames, storeFiles, storeProducts } from './support/assets.ts'
import { missingForBrowser, openDashboard, skipUnlessCi, until } from './support/dashboard.ts'
import { aProduct } from './support/products.ts'

const NO_BROWSER = await missingForBrowser()

interface Focusable {
  matches(selector: string): boolean
  computedStyleMap(): Map<string, { toString(): string }>
}

/** Presses the key until the target has the focus, and checks that the focus is visible. */
async function focusWith(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  await target.waitFor({ state: 'attached' })
  for (let steps = 0; steps < 80; steps += 1) {
    const focus = await target.evaluate((it) => {
      const element = it as unknown as Focusable
      // A text field shows its focus with its border, not with an outline.
      const isVisible =
        element.matches('input') || `${element.computedStyleMap().get('outline-style')}` !== 'none'
      return { isFocused: element.matches(':focus-visible'), isVisible }
    })
    if (focus.isFocused) {
      assert.ok(focus.isVisible, `the focus is not visible on ${target}`)
      return
    }
    await page.keyboard.press(key)
  }
  assert.fail(`${target} cannot be reached with ${key}`)
}

test('assets can be managed by keyboard alone, and the focus is always visible', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await storeFiles(
    client,
    ['one.txt', 'two.txt', 'three.txt'].map((name) => ({ name })),
  )
  await storeProducts(client, ['Poster'])
  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve())
  await page.goto('/')
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  await focusWith(page, page.getByRole('searchbox'))
  await page.keyboard.type('t')
  await until('the URL has the search', () => page.url().endsWith('?search=t'))
  await page.keyboard.type('wo')
  await until('one row is listed', async () => (await rowNames(page)).join() === 'two.txt')
  await press('Control+a', 'Delete')
  await until('all rows are listed', async () => (await rowNames(page)).length === 3)
  await focusWith(page, page.getByRole('radio', { name: 'All' }))
  await press('ArrowRight', 'ArrowRight')
  await page.getByText('No matching assets').waitFor()
  await press('ArrowLeft', 'ArrowLeft')
  await focusWith(page, button('Name'))
  await press('Enter')
  await until('the URL has the order', () => page.url().includes('sort=filename'))

  await focusWith(page, page.getByRole('checkbox', { name: 'Select two.txt' }))
  await press('Space')
  await focusWith(page, button('Attach to products'))
  await press('Enter')
  await focusWith(page, page.getByRole('combobox', { name: 'Products' }))
  await page.keyboard.type('post')
  await page.getByRole('option', { name: 'Poster' }).waitFor()
  await press('ArrowDown', 'Enter')
  await focusWith(page, button('Attach'))
  await press('Enter')
  await page.getByText('two.txt attached to 1 product').waitFor()

  await focusWith(page, page.getByRole('link', { name: 'two.txt' }))
  await press('Enter')
  await focusWith(page, button('Rename'))
  await press('Enter')
  await page.keyboard.type('2')
  await press('Enter')
  await page.getByRole('heading', { name: '2.txt' }).waitFor()
  await focusWith(page, button('Detach Poster'))
  await press('Enter')
  await page.getByText('Not attached to any product').waitFor()
  await focusWith(page, page.getByRole('link', { name: 'All assets' }))
  await focusWith(page, button('Delete'))
  await press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await focusWith(page, dialog.getByRole('button', { name: 'Delete asset' }))
  await press('Enter')
  await until('two assets remain', async () => (await client.account()).assets === 2)

  await focusWith(page, button('More upload options'))
  await press('Enter')
  await focusWith(page, page.getByRole('menuitem', { name: 'Add URL' }), 'ArrowDown')
  await press('Enter')
  await page.getByRole('dialog', { name: 'Add URL' }).waitFor()
  await focusWith(page, page.getByRole('textbox', { name: 'URL' }))
  await page.keyboard.type('https://example.com/')
  await focusWith(page, page.getByRole('textbox', { name: 'Name' }))
  await page.keyboard.type('A site')
  await press('Enter')
  await page.getByRole('link', { name: 'A site' }).waitFor()
})

test('the controls on products, import and settings are reached by keyboard, and their focus is visible', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await client.putProducts([aProduct({ sku: 'S', vendor: 'V', tags: ['t'] })])
  await client.createKey({ name: 'one', scope: 'read' })
  const stops = {
    '/products': ['Import', 'Search products', 'Vendor', 'Sample pack', 't', 'Delete Sample pack'],
    '/products/import': ['All products', 'Choose file'],
    '/settings': ['View storage usage', 'Create key', 'Revoke one'],
  }
  for (const [path, expected] of Object.entries(stops)) {
    await page.goto(path)
    await page
      .getByText(expected.at(-1) ?? '')
      .or(page.getByLabel(expected.at(-1) ?? ''))
      .first()
      .waitFor()
    const found = await tabThrough(page)
    for (const name of expected) assert.ok(found.includes(name), `${path}: ${name} of ${found}`)
  }
})

/** Presses Tab until the end of the page, and checks that the focus is visible on every stop. */
async function tabThrough(page: Page): Promise<string[]> {
  const names: string[] = []
  for (let step = 0; step < 40; step++) {
    await page.keyboard.press('Tab')
    const { name, isVisible, isEnd } = await page.evaluate<Stop>(STOP)
    if (isEnd) break
    assert.ok(isVisible, `the focus is not visible on ${name}`)
    names.push(name)
  }
  return names
}

interface Stop {
  name: string
  isVisible: boolean
  isEnd: boolean
}

const STOP = `(() => {
  const it = document.activeElement
  const style = getComputedStyle(it)
  const name = (it.getAttribute('aria-label') ?? it.innerText ?? '').trim()
  const isVisible = style.outlineStyle !== 'none' || it.matches('input, select, textarea')
  return { name, isVisible, isEnd: it === document.body }
})()`
