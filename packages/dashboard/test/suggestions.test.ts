import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { NodeClient } from '@stowage/client/node'
import type { Page } from 'playwright-core'
import { storeFiles, untilRows } from './support/assets.ts'
import { assertAccessible } from './support/axe.ts'
import {
  aFolder,
  missingForBrowser,
  openDashboard,
  openPage,
  skipUnlessCi,
  until,
} from './support/dashboard.ts'
import { aProduct } from './support/products.ts'
import { drop } from './support/uploads.ts'

const NO_BROWSER = await missingForBrowser()
const SUGGESTIONS = '/?show=no-product&suggest=true'

const productsOf = async (client: NodeClient, name: string) => {
  const [asset] = (await client.assets({ filename: name, with_products: true }).page()).data
  return asset?.products?.map(({ sku }) => sku).join() ?? 'no asset'
}
const field = (page: Page, name: string) =>
  page.getByRole('combobox', { name: `Products of ${name}` })
const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Attach ${name}` })
const pills = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ hasText: name }).locator('.mantine-Pill-label')

/** Products with the SKUs `PACK-01` and so on. */
function storePacks(client: NodeClient, count: number) {
  return client.putProducts(
    Array.from({ length: count }, (_, index) => {
      const number = `${index + 1}`.padStart(2, '0')
      return aProduct({
        product_id: index + 1,
        variant_id: index + 1,
        name: `Sound pack ${number}`,
        sku: `PACK-${number}`,
      })
    }),
  )
}

test('20 dropped files get their products with two clicks, and none before', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await storePacks(client, 20)
  const folder = await aFolder(t)
  const names = Array.from({ length: 20 }, (_, index) => {
    const number = `${index + 1}`.padStart(2, '0')
    return index % 2 === 0 ? `pack-${number} final.zip` : `Sound_Pack_${number}.wav`
  })
  for (const name of names) await writeFile(join(folder, name), name)
  await page.goto('/')
  await drop(
    page,
    names.map((name) => join(folder, name)),
  )
  await page.getByRole('link', { name: 'Attach to products' }).click()
  const attach = page.getByRole('button', { name: 'Attach 20 assets' })
  await attach.waitFor()
  assert.equal((await client.assets({ attached: true }).page()).meta.total, 0)
  await attach.click()
  await page.getByText('20 assets attached to 20 products').waitFor()
  await page.getByText('All assets have a product').waitFor()
  await page.getByRole('link', { name: 'Attach to products' }).waitFor({ state: 'detached' })
  for (const name of names) {
    const number = /\d\d/.exec(name)?.[0]
    assert.equal(await productsOf(client, name), `PACK-${number}`)
  }
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Detached again').waitFor()
  assert.equal((await client.assets({ attached: true }).page()).meta.total, 0)

  // Each file has another product, so that each is a call. For the user, it was one action.
  await page.getByRole('link', { name: 'Activity' }).click()
  await page.getByRole('button', { name: 'Detached 20 assets' }).waitFor()
  const group = page.getByRole('button', { name: 'Attached 20 assets' })
  await group.click()
  for (const name of names) await page.getByRole('link', { name }).first().waitFor()
})

test('with the keyboard, Enter accepts a row or chooses another product, and goes to the next row', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await storePacks(client, 3)
  // Listed newest first.
  await storeFiles(client, [
    { name: 'nothing.txt' },
    { name: 'sound.txt' },
    { name: 'pack-02.txt' },
    { name: 'pack-01.txt' },
  ])
  await client.putProducts([aProduct({ product_id: 9, name: 'Sound design', sku: 'SD-1' })])
  await page.goto('/?show=no-product')
  await page.getByRole('button', { name: 'Suggest products' }).click()
  await page.getByRole('button', { name: 'Attach 2 assets' }).waitFor()
  assert.equal(await pills(page, 'pack-01.txt').textContent(), 'Sound pack 01 · PACK-01')
  assert.equal(await box(page, 'nothing.txt').isDisabled(), true)
  const all = page.getByRole('checkbox', { name: 'Select all on this page' })
  await all.uncheck()
  await page.getByRole('button', { name: 'Attach 0 assets' }).waitFor()
  await all.check()
  await page.getByRole('button', { name: 'Attach 2 assets' }).waitFor()
  await field(page, 'pack-01.txt').focus()
  await page.keyboard.press('Enter')
  await field(page, 'pack-02.txt').and(page.locator(':focus')).waitFor()
  await box(page, 'pack-02.txt').uncheck()
  await page.getByRole('button', { name: 'Attach 1 asset' }).waitFor()
  await field(page, 'sound.txt').focus()
  await page.keyboard.type('pack-03')
  await page
    .getByRole('option', { name: 'PACK-03' })
    .and(page.locator('[data-combobox-selected]'))
    .waitFor()
  await page.keyboard.press('Enter')
  await field(page, 'nothing.txt').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  const attach = page.getByRole('button', { name: 'Attach 2 assets' })
  await attach.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('2 assets attached to 2 products').waitFor()
  await until('the list has the other assets', async () => {
    return (await page.getByRole('checkbox', { name: /^Attach / }).count()) === 2
  })
  assert.equal(await productsOf(client, 'pack-01.txt'), 'PACK-01')
  assert.equal(await productsOf(client, 'pack-02.txt'), '')
  assert.equal(await productsOf(client, 'sound.txt'), 'PACK-03')
  await page.getByRole('button', { name: 'Back to the list' }).click()
  await untilRows(page, ['pack-02.txt', 'nothing.txt'])
})

test('a similar title is suggested, but not chosen until it is accepted', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await client.putProducts([aProduct({ name: 'Mixing course', sku: 'MIX' })])
  await storeFiles(client, [{ name: 'mixing.txt' }])
  await page.goto(SUGGESTIONS)
  await page.getByText('Similar title: check it').waitFor()
  assert.equal(await box(page, 'mixing.txt').isChecked(), false)
  await assertAccessible(page, 'suggestions')
  await field(page, 'mixing.txt').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Attach 1 asset' }).click()
  await page.getByText('All assets have a product').waitFor()
  assert.equal(await productsOf(client, 'mixing.txt'), 'MIX')
})

test('in a shop with thousands of variants, products are found by the words of the names', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  for (let start = 0; start < 3_001; start += 1_000) {
    await client.putProducts(
      Array.from({ length: Math.min(1_000, 3_001 - start) }, (_, index) => {
        const id = start + index + 1
        return aProduct({ product_id: id, variant_id: id, name: `Loop ${id}`, sku: `LP-${id}X` })
      }),
    )
  }
  await storeFiles(client, [{ name: 'LP-777X_master.txt' }, { name: 'Loop 2500 (final).txt' }])
  await page.goto(SUGGESTIONS)
  await page.getByRole('button', { name: 'Attach 2 assets' }).click()
  await page.getByText('All assets have a product').waitFor()
  assert.equal(await productsOf(client, 'LP-777X'), 'LP-777X')
  assert.equal(await productsOf(client, 'Loop 2500'), 'LP-2500X')
})

test('without products, the suggestions lead to the import', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await storeFiles(client, [{ name: 'a.txt' }])
  await page.goto(SUGGESTIONS)
  await page.getByRole('link', { name: 'Import your products' }).waitFor()
  await openPage(page, '/')
  await untilRows(page, ['a.txt'])
})
