import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@stowage/client/node'
import type { Page } from 'playwright-core'
import { storeFiles } from './support/assets.ts'
import { assertAccessible } from './support/axe.ts'
import { missingForBrowser, openDashboard, skipUnlessCi, until } from './support/dashboard.ts'

const NO_BROWSER = await missingForBrowser()
const KEYS = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: 'an-admin-key-0123456789-abcdefghijk' }

async function rowTexts(page: Page): Promise<string[]> {
  const rows = await page.locator('tbody tr').allInnerTexts()
  return rows.map((text) => text.replaceAll(/\s+/g, ' ').trim())
}

test('the activity answers who deleted a file, by its name, by the person and by the day', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client, service } = await openDashboard(t, KEYS)
  const { id, secret } = await client.createKey({ name: 'anna', scope: 'write' })
  const anna = createClient({ baseUrl: service.baseUrl, apiKey: secret })
  const [intro] = await storeFiles(client, [{ name: 'intro.pdf' }])
  assert.ok(intro)
  const ids: string[] = []
  for (let index = 0; index < 209; index += 1) {
    ids.push(
      (await client.store({ filename: `track ${index}.wav`, url: 'https://example.com/a' })).id,
    )
  }
  await client.change(intro.id, { filename: 'outro.pdf' })
  await client.change(intro.id, { filename: 'intro.pdf' })
  await client.replace(intro.id, new Blob(['two']), { name: 'intro.pdf' })
  await client.restore(intro.id, 1)
  await client.deleteVersion(intro.id, 2)
  await anna.bulk({ action: 'delete', ids: [intro.id, ...ids] })

  await page.goto('/activity')
  const group = page.getByRole('button', { name: 'Deleted 210 assets' })
  await group.waitFor()
  const [first = '', ...others] = await rowTexts(page)
  assert.match(first, /^Deleted 210 assets anna .*\d:\d\d:\d\d/)
  for (const text of [
    /^Deleted version 2 intro.pdf STOWAGE_ADMIN_KEY /,
    /^Restored version 1 intro.pdf /,
    /^Replaced by version 2 intro.pdf /,
    /^Renamed outro.pdf to intro.pdf /,
    /^Renamed intro.pdf to outro.pdf /,
  ]) {
    assert.ok(
      others.some((row) => text.test(row)),
      `${text}: ${others.slice(0, 8).join('\n')}`,
    )
  }
  await group.press('Enter')
  await page.getByText('track 208.wav').first().waitFor()
  assert.equal(await page.locator('tbody li bdi').count(), 100)
  await assertAccessible(page, 'an open group')
  await page.getByRole('button', { name: 'Show 100 more' }).click()
  await until('more are shown', async () => (await page.locator('tbody li bdi').count()) === 200)
  await group.press('Enter')
  await until('the group is closed', async () => (await page.locator('tbody li').count()) === 0)

  // Who deleted intro.pdf? Its name, and the action.
  await page.getByRole('searchbox', { name: 'Search activity' }).fill('intro.pdf')
  await until('the URL has the name', () => page.url().includes('search=intro.pdf'))
  await page.getByLabel('Action').selectOption('Deleted')
  await until('one row remains', async () => (await rowTexts(page)).length === 1)
  assert.match((await rowTexts(page))[0] ?? '', /^Deleted intro.pdf anna /)
  assert.equal(new URL(page.url()).search, '?search=intro.pdf&show=asset.deleted')
  await page.reload()
  await page.locator('tbody').getByText('Deleted', { exact: true }).first().waitFor()
  assert.equal(
    await page.getByRole('searchbox', { name: 'Search activity' }).inputValue(),
    'intro.pdf',
  )

  // What else did anna do today? A click on the name filters by the person.
  await page.getByRole('link', { name: 'anna' }).first().click()
  await until('the URL has the person', () => page.url().includes(`actor=${id}`))
  const person = page.getByLabel('Person')
  await until('anna is chosen', async () => (await person.inputValue()) === id)
  await page.getByLabel('Action').selectOption('All actions')
  await until('the URL has no action', () => !page.url().includes('show='))
  await page.getByRole('searchbox', { name: 'Search activity' }).fill('')
  await until('the URL has no name', () => !page.url().includes('search='))
  await group.waitFor()
  assert.equal((await rowTexts(page)).length, 1)
  const today = await page.evaluate<string>("new Date().toLocaleDateString('sv')")
  await page.getByLabel('From').fill(today)
  await page.getByLabel('To', { exact: true }).fill(today)
  await until('the days are in the URL', () => page.url().includes(`from=${today}&to=${today}`))
  await group.waitFor()

  // New events appear, if they match the filters.
  await client.store({ filename: 'by the admin', url: 'https://example.com/a' })
  await anna.store({ filename: 'by anna', url: 'https://example.com/a' })
  await page.getByRole('link', { name: 'by anna' }).waitFor()
  await group.waitFor()
  assert.equal(await page.getByText('by the admin').count(), 0)

  await page.getByRole('searchbox', { name: 'Search activity' }).fill('nothing like it')
  await page.getByText('No matching activity').waitFor()
  await page.getByText(/with the filters “nothing like it”, by anna, from .*, until /).waitFor()
  await assertAccessible(page, 'no matching activity')
  await page.getByRole('button', { name: 'Clear search and filters' }).click()
  await page.getByText('by the admin').waitFor()
  assert.equal(new URL(page.url()).search, '')
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await assertAccessible(page, `activity at ${width}`)
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    assert.equal(await page.evaluate(overflow), 0)
  }
})

test('the activity of an open service does not name anyone', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  const { id } = await client.store({ filename: 'a', url: 'https://example.com/a' })
  await client.delete(id)
  await page.goto('/activity')
  await page.locator('tbody').getByText('Deleted', { exact: true }).waitFor()
  assert.deepEqual(await page.locator('thead th').allInnerTexts(), ['What', 'When'])
  assert.equal(await page.locator('tbody').getByText('Someone without a key').count(), 0)
})

test('a search that has not examined all events says how far it came, and continues', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, client } = await openDashboard(t)
  await client.store({ filename: 'needle', url: 'https://example.com/a' })
  await client.putProducts([{ product_id: 1, variant_id: 1, name: 'Pack' }])
  await page.route(/\/api\/v1\/events\?.*search=needle/, async (route) => {
    // As if the account had many events between the two.
    if (new URL(route.request().url()).searchParams.has('before')) return route.continue()
    const response = await route.fetch()
    const { meta } = await response.json()
    const examined = {
      has_more: true,
      next_before: meta.last_id,
      examined_to: new Date().toISOString(),
    }
    await route.fulfill({ json: { data: [], meta: { ...meta, ...examined } } })
  })
  let calls = 0
  await page.route(/\/api\/v1\/events\?.*before=/, async (route) => {
    calls += 1
    const response = await route.fetch()
    const body = await response.json()
    if (calls >= 20) return route.fulfill({ json: body })
    const { searchParams } = new URL(route.request().url())
    const examined = {
      has_more: true,
      next_before: Number(searchParams.get('before')),
      examined_to: new Date().toISOString(),
    }
    await route.fulfill({ json: { data: [], meta: { ...body.meta, ...examined } } })
  })
  await page.goto('/activity?search=needle')
  await page.getByText('No matches so far').waitFor()
  await page.getByText(/Searched back to .*\d:\d\d:\d\d/).waitFor()
  await page.getByRole('link', { name: 'Search older' }).click()
  await page.getByRole('link', { name: 'needle' }).waitFor()
  await page.getByRole('link', { name: 'Newest' }).waitFor()
})
