import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asset } from '@stowage/protocol'
import { aBrowser, whyNoBrowser } from '@stowage/testing/browser/browser'
import { skipUnlessCi } from '@stowage/testing/machine/skip-unless-ci'
import { API } from '@stowage/testing/service/upload'
import type { Page } from 'playwright-core'
import { anotherSite, aPermissiveService, type PermissiveService } from '../support/other-origin.ts'
import { aShopFixture, readShopState, type ShopFixture } from '../support/shop-fixture.ts'
import { readState } from '../support/upload-fixture.ts'

const NO_BROWSER = await whyNoBrowser()

const JSON_REQUEST = {
  headers: { 'Content-Type': 'application/json' },
  body: '{"filename":"planted","url":"https://evil.example/"}',
}

interface Ids {
  asset: string
  product: string | undefined
  key: string
}

/** Has the page try everything against the target; each attempt's outcome by its name. */
async function attemptAll(page: Page, target: string, ids: Ids): Promise<Record<string, string>> {
  return page.evaluate(`attempt(${JSON.stringify(target)}, ${JSON.stringify(ids)})`)
}

/** What can be read of the state, in the database and in the storage. */
async function readAll(fixture: ShopFixture) {
  return { state: await readState(fixture), shop: await readShopState(fixture.service.context) }
}

function idsOf({ ready, products, readKey }: ShopFixture): Ids {
  return { asset: ready.id, product: products[0]?.id, key: readKey.id }
}

/** `localhost` and `127.0.0.1` are two sites; two ports of one of them are two origins of it. */
const PAIRS = [
  { site: '127.0.0.1', service: '127.0.0.1' },
  { site: 'localhost', service: '127.0.0.1' },
  { site: '127.0.0.1', service: 'localhost' },
  { site: 'localhost', service: 'localhost' },
]

/** Somebody else's name, which their DNS made to mean this machine. */
const REBOUND = 'rebound.example'

test('in a real browser, only a page of the service’s own origin gets to it', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const fixture = await aShopFixture(t)
  const browser = await aBrowser(t, { rebound: REBOUND })
  const port = await anotherSite(t)
  for (const { site, service } of PAIRS) {
    const target = fixture.service.baseUrl.replace('127.0.0.1', service)
    await t.test(`a page of ${site} reads and changes nothing of ${service}`, async () => {
      const page = await browser.newPage()
      await page.goto(`http://${site}:${port}/`)
      await checkKeptOff(page, target, fixture)
    })
  }
  await t.test('a rebound name makes no page of ours', async () => {
    const page = await browser.newPage()
    await checkRebound(page, fixture)
  })
  await t.test('the same attempts succeed where nothing keeps them off', async (group) => {
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${port}/`)
    await checkLetIn(page, await aPermissiveService(group))
  })
  for (const { service } of PAIRS.slice(1, 3)) {
    const origin = fixture.service.baseUrl.replace('127.0.0.1', service)
    await t.test(`a page of the service works by the name ${service}`, async () => {
      const page = await browser.newPage()
      await page.goto(`${origin}/`)
      await checkOwnPage(page)
    })
  }
})

async function checkKeptOff(page: Page, target: string, fixture: ShopFixture): Promise<void> {
  const before = await readAll(fixture)
  const answered: number[] = []
  page.on('response', (response) => {
    if (response.url().startsWith(target)) answered.push(response.status())
  })
  assertKeptOff(await attemptAll(page, target, idsOf(fixture)))
  // The browser hides from us, as from the page, what it kept from the page.
  assert.ok(answered.length > 8, `only ${answered.length} answers`)
  assert.deepEqual(new Set(answered), new Set([403]))
  await assertNothingShown(page, fixture)
  await assertLinkRefused(page, target, fixture)
  await page.close()
  assert.deepEqual(await readAll(fixture), before)
}

function assertKeptOff(outcomes: Record<string, string>): void {
  assert.ok(Object.keys(outcomes).length > 25)
  // A frame and an opaque answer are there, but the page sees nothing of them.
  const isUnreadable = (name: string) => /^(a beacon|no-cors|a form|a frame)/.test(name)
  const expected = Object.keys(outcomes).map((name) => [
    name,
    isUnreadable(name) ? 'unreadable' : 'refused',
  ])
  assert.deepEqual(outcomes, Object.fromEntries(expected))
}

/** Not even to the person in front of the page. */
async function assertNothingShown(page: Page, fixture: ShopFixture): Promise<void> {
  const frames = page.frames().filter((frame) => frame !== page.mainFrame())
  assert.ok(frames.length >= 6, `only ${frames.length} frames`)
  for (const frame of frames) {
    const content: string = await frame.evaluate('document.documentElement.outerHTML')
    assertNothingOfOurs(content, fixture)
  }
}

function assertNothingOfOurs(content: string, { ready, link, products }: ShopFixture): void {
  for (const secret of [
    ready.id,
    ready.filename,
    link.id,
    products[0]?.name ?? '',
    'API reference',
  ]) {
    assert.ok(!content.includes(secret), `${secret} is in ${content}`)
  }
}

/** A link that somebody follows leads to a refusal, too. */
async function assertLinkRefused(page: Page, target: string, fixture: ShopFixture): Promise<void> {
  const address = JSON.stringify(`${target}${API}/assets`)
  const opened = page.waitForEvent('popup')
  await page.evaluate(`void window.open(${address})`)
  const popup = await opened
  await popup.waitForLoadState()
  const content = await popup.content()
  assert.match(content, /forbidden/)
  assertNothingOfOurs(content, fixture)
  await popup.close()
}

/** To the browser such a page is of the service's own origin: no other check would stop it. */
async function checkRebound(page: Page, fixture: ShopFixture): Promise<void> {
  const before = await readAll(fixture)
  const origin = fixture.service.baseUrl.replace('127.0.0.1', REBOUND)
  for (const path of ['/', '/docs', '/openapi.json', '/healthz', `${API}/assets`]) {
    const response = await page.goto(origin + path)
    assert.equal(response?.status(), 403, path)
    assertNothingOfOurs(await page.content(), fixture)
  }
  const outcomes = await tryOwn(page, fixture)
  for (const [name, status] of Object.entries(outcomes)) assert.equal(status, 403, name)
  await page.close()
  assert.deepEqual(await readAll(fixture), before)
}

function tryOwn(page: Page, { ready }: ShopFixture): Promise<Record<string, number>> {
  const calls = {
    list: [`${API}/assets`, {}],
    rename: [`${API}/assets/${ready.id}`, { ...JSON_REQUEST, method: 'PUT' }],
    store: [`${API}/assets/store`, { ...JSON_REQUEST, method: 'POST' }],
    delete: [`${API}/assets/${ready.id}`, { method: 'DELETE' }],
  }
  return page.evaluate(`Promise.all(
    Object.entries(${JSON.stringify(calls)}).map(async ([name, [path, options]]) =>
      [name, (await fetch(path, options)).status])
  ).then(Object.fromEntries)`)
}

async function checkLetIn(page: Page, careless: PermissiveService): Promise<void> {
  const target = `http://127.0.0.1:${careless.port}`
  const outcomes = await attemptAll(page, target, { asset: 'a', product: 'p', key: 'k' })
  const refused = Object.entries(outcomes).filter(([, outcome]) => outcome === 'refused')
  // It has no sockets.
  assert.deepEqual(refused, [['a socket', 'refused']])
  for (const arrival of [
    'GET',
    'PUT application/json',
    'DELETE',
    'POST text/plain',
    'POST application/json',
    'POST application/x-www-form-urlencoded',
    'POST multipart/form-data',
  ]) {
    assert.ok(careless.got.includes(arrival), `${arrival} is not in ${careless.got}`)
  }
}

/** The page at `/` may call everything, with or without a built dashboard. */
async function checkOwnPage(page: Page): Promise<void> {
  const call = async (method: string, path: string, body?: object) => {
    const headers = { 'Content-Type': 'application/json' }
    const options = { method, ...(body && { headers, body: JSON.stringify(body) }) }
    const answer: { status: number; body: { data: Asset & Asset[] } } = await page.evaluate(
      `fetch(${JSON.stringify(API + path)}, ${JSON.stringify(options)}).then(
        async (response) => ({ status: response.status, body: await response.json() }))`,
    )
    return answer
  }
  const link = { filename: 'own.zip', url: 'https://example.com/own.zip' }
  const stored = await call('POST', '/assets/store', link)
  assert.deepEqual([stored.status, stored.body.data.filename], [201, 'own.zip'])
  const listed = await call('GET', '/assets?filename=own')
  assert.deepEqual([listed.status, listed.body.data], [200, [stored.body.data]])
  const path = `/assets/${stored.body.data.id}`
  assert.equal((await call('PUT', path, { filename: 'renamed.zip' })).status, 200)
  assert.equal((await call('DELETE', path)).status, 202)
  assert.equal((await call('GET', path)).status, 404)
  await page.close()
}
