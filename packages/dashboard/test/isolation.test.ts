import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { missingForBrowser, openDashboard, skipUnlessCi } from './support/dashboard.ts'

const NO_BROWSER = await missingForBrowser()
const KEYS = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: 'an-admin-key-0123456789-abcdefghijk' }

const LEAVE_DATA = `(async () => {
  document.cookie = 'left=1'
  localStorage.left = 1
  sessionStorage.left = 1
  await caches.open('left')
  await new Promise((resolve, reject) => {
    const opening = indexedDB.open('left')
    opening.onsuccess = resolve
    opening.onerror = reject
  })
})()`

const FIND_DATA = `(async () => ({
  cookie: document.cookie,
  storage: [localStorage.left, sessionStorage.left],
  caches: await caches.keys(),
  databases: (await indexedDB.databases()).filter(({ name }) => name === 'left'),
  clipboard: (await navigator.permissions.query({ name: 'clipboard-read' })).state,
  isDark: matchMedia('(prefers-color-scheme: dark)').matches,
}))()`

test('a test finds no state of the previous test in the browser', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  let requests = 0
  let left: unknown
  let leftPage: Page | undefined
  await t.test('one test changes everything', async (t) => {
    const { page, context } = await openDashboard(t, KEYS)
    leftPage = page
    await context.grantPermissions(['clipboard-read'])
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.goto('/')
    await page.getByText('Drop your first file here').waitFor()
    await page.evaluate(LEAVE_DATA)
    left = await page.evaluate(FIND_DATA)
    assert.equal((await context.cookies()).length, 2)
    await context.route('**', (route) => route.abort())
    context.on('request', () => {
      requests += 1
    })
    await context.setOffline(true)
  })
  await t.test('the next test finds none of it', async (t) => {
    const { page, context } = await openDashboard(t, KEYS, { isSignedIn: false })
    const before = requests
    assert.equal(leftPage?.isClosed(), true)
    assert.deepEqual(await context.cookies(), [])
    await page.goto('/')
    await page.getByRole('heading', { name: 'Sign in to Stowage' }).waitFor()
    assert.deepEqual(await page.evaluate(FIND_DATA), {
      cookie: '',
      storage: [undefined, undefined],
      caches: [],
      databases: [],
      clipboard: 'prompt',
      isDark: false,
    })
    assert.equal(requests, before)
    assert.deepEqual(left, {
      cookie: 'left=1',
      storage: ['1', '1'],
      caches: ['left'],
      databases: [{ name: 'left', version: 1 }],
      clipboard: 'granted',
      isDark: true,
    })
  })
})
