import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asset } from '@stowage/protocol'
import { aBrowser, missingForBrowser } from '@stowage/testing/browser/browser'
import { skipUnlessCi } from '@stowage/testing/machine/programs'
import { API } from '@stowage/testing/service/upload'
import type { Page } from 'playwright-core'
import { anotherSite, aPermissiveService, type PermissiveService } from '../support/other-origin.ts'
import { aShopFixture, readShopState, type ShopFixture } from '../support/shop-fixture.ts'
import { readState } from '../support/upload-fixture.ts'

const NO_BROWSER = await missingForBrowser()

const JSON_REQUEST = {
  headers: { 'Content-Type': 'application/json' },
  body: '{"filename":"planted","url":"https://evil.example/"}',
}

interface Ids {
  asset: string
  product: string | undefined
  key: string
}

/** Runs all attempts of the page against the target, and returns the outcomes by name. */
async function attemptAll(page: Page, target: string, ids: Ids): Promise<Record<string, string>> {
  return page.evaluate(`attempt(${JSON.stringify(target)}, ${JSON.stringify(ids)})`)
}

/** The state in the database and the storage. */
async function readAll(fixture: ShopFixture) {
  return { state: await readState(fixture), shop: await readShopState(fixture.service.context) }
}

function idsOf({ ready, products, readKey }: ShopFixture): Ids {
  return { asset: ready.id, product: products[0]?.id, key: readKey.id }
}

/** `localhost` and `127.0.0.1` are different sites; two ports of the same host are different origins. */
const PAIRS = [
  { site: '127.0.0.1', service: '127.0.0.1' },
  { site: 'localhost', service: '127.0.0.1' },
  { site: '127.0.0.1', service: 'localhost' },
  { site: 'localhost', service: 'localhost' },
]

/** An attacker's hostname that resolves to this machine (DNS rebinding). */
const REBOUND = 'rebound.example'

test('in a real browser, only pages of the service’s own origin have access to it', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const fixture = await aShopFixture(t)
  const browser = await aBrowser(t, { rebound: REBOUND })
  const port = await anotherSite(t)
  for (const { site, service } of PAIRS) {
    const target = fixture.service.baseUrl.replace('127.0.0.1', service)
    await t.test(`a page of ${site} can read and change nothing on ${service}`, async () => {
      const page = await browser.newPage()
      await page.goto(`http://${site}:${port}/`)
      await checkBlocked(page, target, fixture)
    })
  }
  await t.test('DNS rebinding gives no access', async () => {
    const page = await browser.newPage()
    await checkRebound(page, fixture)
  })
  await t.test(
    'the same attempts succeed against a service that allows every origin',
    async (group) => {
      const page = await browser.newPage()
      await page.goto(`http://127.0.0.1:${port}/`)
      await checkAllowed(page, await aPermissiveService(group))
    },
  )
  for (const { service } of PAIRS.slice(1, 3)) {
    const origin = fixture.service.baseUrl.replace('127.0.0.1', service)
    await t.test(`a page of the service works on the host ${service}`, async () => {
      const page = await browser.newPage()
      await page.goto(`${origin}/`)
      await checkOwnPage(page)
    })
  }
})

async function checkBlocked(page: Page, target: string, fixture: ShopFixture): Promise<void> {
  const before = await readAll(fixture)
  const statuses: number[] = []
  page.on('response', (response) => {
    if (response.url().startsWith(target)) statuses.push(response.status())
  })
  assertAllBlocked(await attemptAll(page, target, idsOf(fixture)))
  // The browser does not report responses that it hides from the page.
  assert.ok(statuses.length > 8, `only ${statuses.length} responses`)
  assert.deepEqual(new Set(statuses), new Set([403]))
  await assertNothingShown(page, fixture)
  await assertLinkRefused(page, target, fixture)
  await page.close()
  assert.deepEqual(await readAll(fixture), before)
}

function assertAllBlocked(outcomes: Record<string, string>): void {
  assert.ok(Object.keys(outcomes).length > 25)
  // The page gets a frame or an opaque response, but cannot read its content.
  const isUnreadable = (name: string) => /^(a beacon|no-cors|a form|a frame)/.test(name)
  const expected = Object.keys(outcomes).map((name) => [
    name,
    isUnreadable(name) ? 'unreadable' : 'refused',
  ])
  assert.deepEqual(outcomes, Object.fromEntries(expected))
}

/** The frames show no data of the service, not even to the user. */
async function assertNothingShown(page: Page, fixture: ShopFixture): Promise<void> {
  const frames = page.frames().filter((frame) => frame !== page.mainFrame())
  assert.ok(frames.length >= 6, `only ${frames.length} frames`)
  for (const frame of frames) {
    const content: string = await frame.evaluate('document.documentElement.outerHTML')
    assertNoServiceData(content, fixture)
  }
}

function assertNoServiceData(content: string, { ready, link, products }: ShopFixture): void {
  for (const secret of [
    ready.id,
    ready.filename,
    link.id,
    products[0]?.name ?? '',
    '<h1>API reference</h1>',
    'id="app"',
  ]) {
    assert.ok(!content.includes(secret), `${secret} is in ${content}`)
  }
}

/** Following a link to the service is refused too. */
async function assertLinkRefused(page: Page, target: string, fixture: ShopFixture): Promise<void> {
  const url = JSON.stringify(`${target}${API}/assets`)
  const opened = page.waitForEvent('popup')
  await page.evaluate(`void window.open(${url})`)
  const popup = await opened
  await popup.waitForLoadState()
  const content = await popup.content()
  assert.match(content, /forbidden/)
  assertNoServiceData(content, fixture)
  await popup.close()
}

/** The browser treats a page of the rebound hostname as the service's own origin, so only the Host check stops it. */
async function checkRebound(page: Page, fixture: ShopFixture): Promise<void> {
  const before = await readAll(fixture)
  const origin = fixture.service.baseUrl.replace('127.0.0.1', REBOUND)
  for (const path of ['/', '/docs', '/openapi.json', '/healthz', `${API}/assets`]) {
    const response = await page.goto(origin + path)
    assert.equal(response?.status(), 403, path)
    assertNoServiceData(await page.content(), fixture)
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

async function checkAllowed(page: Page, permissive: PermissiveService): Promise<void> {
  const target = `http://127.0.0.1:${permissive.port}`
  const outcomes = await attemptAll(page, target, { asset: 'a', product: 'p', key: 'k' })
  const refused = Object.entries(outcomes).filter(([, outcome]) => outcome === 'refused')
  // The service has no WebSockets.
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
    assert.ok(permissive.got.includes(arrival), `${arrival} is not in ${permissive.got}`)
  }
}

/** The page at `/` can use the whole API, with or without a built dashboard. */
async function checkOwnPage(page: Page): Promise<void> {
  const call = async (method: string, path: string, body?: object) => {
    const headers = { 'Content-Type': 'application/json' }
    const options = { method, ...(body && { headers, body: JSON.stringify(body) }) }
    const response: { status: number; body: { data: Asset & Asset[] } } = await page.evaluate(
      `fetch(${JSON.stringify(API + path)}, ${JSON.stringify(options)}).then(
        async (response) => ({ status: response.status, body: await response.json() }))`,
    )
    return response
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
