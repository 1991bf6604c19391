import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { freePort } from '@stowage/testing/machine/ports'
import {
  ADMIN_KEY,
  aKeyedService,
  anAccount,
  type Call,
  callerWith,
  KEYS,
  type TextResponse,
} from '@stowage/testing/service/accounts'
import { aService, type TestService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'

const SESSION = `${API}/session`
const SAME_ORIGIN = { 'Sec-Fetch-Site': 'same-origin' }

/** Signs in and returns the Cookie header that the browser sends afterward. */
async function signIn(
  { baseUrl }: TestService,
  secret: string,
  { body = {}, headers = SAME_ORIGIN }: { body?: object; headers?: Record<string, string> } = {},
) {
  const response = await callerWith(baseUrl, secret)('POST', SESSION, body, headers)
  assert.equal(response.status, 201, response.text)
  const setCookie = response.headers.get('set-cookie') ?? ''
  return { response, setCookie, cookie: setCookie.split(';')[0] ?? '' }
}

/** A service with this public URL, such as one behind a proxy. */
async function aPublicService(t: TestContext, url: string): Promise<TestService> {
  const port = await freePort()
  const settings = { STOWAGE_PORT: `${port}`, STOWAGE_BASE_URL: url }
  return { ...(await aKeyedService(t, settings)), baseUrl: `http://127.0.0.1:${port}` }
}

/** Returns a function that calls the service with this cookie, as a page of the service does. */
function browserWith({ baseUrl }: TestService, cookie: string) {
  return (method: string, path: string, body?: unknown, headers: object = SAME_ORIGIN) =>
    callerWith(baseUrl)(method, path, body, { Cookie: cookie, ...headers })
}

function assertRefused({ status, body }: TextResponse, code: string): void {
  assert.deepEqual([status, body.code], [code === 'forbidden' ? 403 : 401, code])
}

test('signing in sets a cookie that scripts cannot read, and requests with it are authorized as with the key', async (t) => {
  const service = await aKeyedService(t)
  const { keys } = await anAccount(service, { name: 'shop' })
  for (const scope of ['read', 'write', 'manage'] as const) {
    const { id, secret } = keys[scope]
    const { response, setCookie, cookie } = await signIn(service, secret)
    assert.match(setCookie, /^stowage-session-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    assert.ok(!setCookie.includes(secret.slice(5, 20)))
    assert.equal(response.headers.get('cache-control'), 'no-store')
    const { requires_key, key, expires_at } = response.body.data
    assert.deepEqual([requires_key, key.id, key.scope, key.name], [true, id, scope, scope])
    const days = (Date.parse(expires_at) - Date.now()) / 86_400_000
    assert.ok(days > 6.99 && days < 7.01, expires_at)

    const browser = browserWith(service, cookie)
    const account = await browser('GET', `${API}/account`)
    assert.deepEqual([account.status, account.body.data.scope], [200, scope])
    assert.equal(account.body.data.name, 'shop')
    assert.equal(account.headers.get('cache-control'), 'no-store')
    assert.deepEqual((await browser('GET', SESSION)).body, response.body)
    const link = { filename: 'a.zip', url: 'https://example.com/a.zip' }
    const stored = await browser('POST', `${API}/assets/store`, link)
    assert.equal(stored.status, scope === 'read' ? 403 : 201)
    assert.equal((await browser('GET', KEYS)).status, scope === 'manage' ? 200 : 403)
  }
})

test('a browser keeps a remembered session for 30 days, and with an https URL its cookie is host-only and secure', async (t) => {
  const service = await aPublicService(t, 'https://files.example')
  const { setCookie, cookie } = await signIn(service, ADMIN_KEY, { body: { remember: true } })
  assert.match(setCookie, /^__Host-stowage-session=[\w-]{43}; Path=\/; HttpOnly;/)
  const [, maxAge] = /; Secure; Max-Age=(\d+)$/.exec(setCookie) ?? []
  assert.ok(Math.abs(Number(maxAge) - 30 * 86_400) < 60, setCookie)
  assert.equal((await browserWith(service, cookie)('GET', SESSION)).status, 200)
  // Another host of the same domain can set a cookie without the prefix.
  const tossed = cookie.replace('__Host-', '')
  assertRefused(await browserWith(service, tossed)('GET', SESSION), 'unauthenticated')
})

test('signing out ends the session everywhere, and other sessions continue', async (t) => {
  const service = await aKeyedService(t)
  const one = browserWith(service, (await signIn(service, ADMIN_KEY)).cookie)
  const other = browserWith(service, (await signIn(service, ADMIN_KEY)).cookie)
  const out = await one('DELETE', SESSION)
  assert.deepEqual([out.status, out.body], [200, { deleted: true }])
  assert.match(out.headers.get('set-cookie') ?? '', /^stowage-session-\d+=; .*Max-Age=0$/)
  for (const method of ['GET', 'DELETE']) {
    assertRefused(await one(method, SESSION), 'unauthenticated')
  }
  assert.equal((await other('GET', `${API}/account`)).status, 200)
})

test('a session ends when its key is revoked, and when the admin key changes', async (t) => {
  const service = await aKeyedService(t)
  const { keys } = await anAccount(service, { name: 'shop' })
  const browser = browserWith(service, (await signIn(service, keys.read.secret)).cookie)
  assert.equal((await browser('GET', SESSION)).status, 200)
  await callerWith(service.baseUrl, keys.manage.secret)('DELETE', `${KEYS}/${keys.read.id}`)
  assertRefused(await browser('GET', SESSION), 'unauthenticated')

  const admin = browserWith(service, (await signIn(service, ADMIN_KEY)).cookie)
  const { body } = await admin('GET', SESSION)
  assert.deepEqual([body.data.key.id, body.data.key.name], [null, 'STOWAGE_ADMIN_KEY'])
  const { auth } = service.context.settings
  assert.ok(auth.kind === 'keys' && auth.admin)
  auth.admin.hash = 'f'.repeat(64)
  assertRefused(await admin('GET', SESSION), 'unauthenticated')
})

test('during a rotation both admin keys work, and their sessions and upload tokens end with them', async (t) => {
  const previous = `previous-${ADMIN_KEY}`
  const service = await aKeyedService(t, { STOWAGE_ADMIN_KEY_PREVIOUS: previous })
  const { auth } = service.context.settings
  assert.ok(auth.kind === 'keys' && auth.admin)
  const browsers: Call[] = []
  const tokens: Call[] = []
  for (const [secret, name] of [
    [ADMIN_KEY, 'STOWAGE_ADMIN_KEY'],
    [previous, 'STOWAGE_ADMIN_KEY_PREVIOUS'],
  ] as const) {
    const browser = browserWith(service, (await signIn(service, secret)).cookie)
    const { body } = await browser('GET', SESSION)
    assert.deepEqual([body.data.key.name, body.data.key.scope], [name, 'manage'])
    browsers.push(browser)
    const created = await browser('POST', `${API}/upload-tokens`, { max_bytes: 10 })
    assert.equal(created.status, 201)
    tokens.push(callerWith(service.baseUrl, created.body.token))
  }
  const statuses = async () => {
    const calls = [ADMIN_KEY, previous].map((secret) => callerWith(service.baseUrl, secret))
    const callers = [...calls, ...browsers]
    const responses = await Promise.all(callers.map((call) => call('GET', `${API}/account`)))
    const file = { name: 'a.bin', size: 1 }
    const uploads = tokens.map((call) => call('POST', `${API}/assets/signed`, file))
    return [...responses, ...(await Promise.all(uploads))].map(({ status }) => status)
  }
  assert.deepEqual(await statuses(), [200, 200, 200, 200, 201, 201])
  auth.admin.previousHash = undefined
  assert.deepEqual((await statuses()).slice(0, 4), [200, 401, 200, 401])
  assert.equal(
    (await tokens[1]?.('POST', `${API}/assets/signed`, { name: 'b', size: 1 }))?.status,
    401,
  )
})

test('a session cannot start or extend a session, and a new session replaces the previous one', async (t) => {
  const service = await aKeyedService(t)
  const first = await signIn(service, ADMIN_KEY)
  const browser = browserWith(service, first.cookie)
  assertRefused(await browser('POST', SESSION, {}), 'unauthenticated')
  const second = await signIn(service, ADMIN_KEY, {
    headers: { ...SAME_ORIGIN, Cookie: first.cookie },
  })
  assert.notEqual(second.cookie, first.cookie)
  assertRefused(await browser('GET', SESSION), 'unauthenticated')
  assert.equal((await browserWith(service, second.cookie)('GET', SESSION)).status, 200)
})

/** The headers of requests that a page of another origin, or a link on it, can cause. */
const OTHER_ORIGINS: Record<string, Record<string, string>> = {
  'another site': { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
  'another site without Origin': { 'Sec-Fetch-Site': 'cross-site' },
  'a sibling subdomain or another port': { 'Sec-Fetch-Site': 'same-site' },
  'a sandboxed frame': { 'Sec-Fetch-Site': 'cross-site', Origin: 'null' },
  'an older browser': { Origin: 'https://evil.example' },
  'an older browser, sandboxed': { Origin: 'null' },
}

test('the cookie is refused in requests from other origins, with any method', async (t) => {
  const service = await aKeyedService(t)
  const { cookie } = await signIn(service, ADMIN_KEY)
  const browser = browserWith(service, cookie)
  const link = { filename: 'planted', url: 'https://evil.example' }
  for (const [description, headers] of Object.entries(OTHER_ORIGINS)) {
    await t.test(description, async () => {
      const calls = [
        browser('GET', `${API}/assets`, undefined, headers),
        browser('POST', `${API}/assets/store`, link, headers),
        browser('DELETE', SESSION, undefined, headers),
      ]
      for (const response of await Promise.all(calls)) {
        assertRefused(response, 'forbidden')
        assert.equal(response.headers.get('access-control-allow-credentials'), null)
      }
      // A key is accepted from every origin, and then the cookie does not matter.
      const withKey = { ...headers, Cookie: cookie }
      const call = callerWith(service.baseUrl, ADMIN_KEY)
      assert.equal((await call('GET', `${API}/assets`, undefined, withKey)).status, 200)
      // But a page of another origin cannot sign the user in to an account of its own.
      assertRefused(await call('POST', SESSION, {}, headers), 'forbidden')
    })
  }
  assert.equal((await browser('GET', `${API}/assets`)).body.meta.total, 0)
})

test('over plain http, where browsers send fewer headers, the cookie is accepted from the same origin', async (t) => {
  const service = await aPublicService(t, 'http://files.example:4000')
  const { cookie } = await signIn(service, ADMIN_KEY)
  const browser = browserWith(service, cookie)
  const { host } = new URL(service.baseUrl)
  const link = { filename: 'a.zip', url: 'https://example.com/a.zip' }
  const store = (headers: object) => browser('POST', `${API}/assets/store`, link, headers)
  assert.equal((await store({ Origin: 'http://files.example:4000' })).status, 201)
  assert.equal((await store({ Origin: `http://${host}` })).status, 201)
  for (const origin of ['http://files.example', 'https://files.example:4000', `https://${host}`]) {
    assertRefused(await store({ Origin: origin }), 'forbidden')
  }
  assertRefused(await store({}), 'forbidden')
  assert.equal((await browser('GET', `${API}/account`, undefined, {})).status, 200)
  // The user entered the URL.
  const entered = { 'Sec-Fetch-Site': 'none' }
  assert.equal((await browser('GET', `${API}/account`, undefined, entered)).status, 200)
  assertRefused(await store(entered), 'forbidden')
})

test('a key in the request takes precedence over the cookie', async (t) => {
  const service = await aKeyedService(t)
  const { cookie } = await signIn(service, ADMIN_KEY)
  const { keys } = await anAccount(service, { name: 'shop' })
  const withCookie = { Cookie: cookie, ...SAME_ORIGIN }
  const shop = callerWith(service.baseUrl, keys.read.secret)
  const { body } = await shop('GET', `${API}/account`, undefined, withCookie)
  assert.equal(body.data.name, 'shop')
  const wrong = callerWith(service.baseUrl, 'no-key')
  assertRefused(await wrong('GET', SESSION, undefined, withCookie), 'unauthenticated')
})

test('forged, changed and duplicate cookies, and those of another service, are not accepted', async (t) => {
  const service = await aKeyedService(t)
  const { cookie } = await signIn(service, ADMIN_KEY)
  const [name, token = ''] = cookie.split('=')
  const last = token.endsWith('A') ? 'B' : 'A'
  const cookies = [
    `${name}=`,
    `${name}=${'x'.repeat(43)}`,
    `${name}=${token.slice(0, -1)}${last}`,
    `${name}="${token}"`,
    `${name}=${token}; ${name}=${token}`,
    `x${cookie}`,
    cookie.toUpperCase(),
    `${name}=' or 1=1 --`,
    `${name}=${'y'.repeat(8000)}`,
    'stowage-session-1=a',
    ';;=;',
  ]
  for (const made of cookies) {
    assertRefused(await browserWith(service, made)('GET', SESSION), 'unauthenticated')
  }
  const among = `theme=dark; ${cookie}; other="a b"`
  assert.equal((await browserWith(service, among)('GET', SESSION)).status, 200)
})

test('requests of a session count toward the rate limit of its key', async (t) => {
  const service = await aKeyedService(t, { STOWAGE_RATE_LIMIT: '3' })
  service.context.clock = () => new Date(Date.UTC(2030, 0, 1))
  const { cookie } = await signIn(service, ADMIN_KEY)
  const browser = browserWith(service, cookie)
  assert.equal((await browser('GET', SESSION)).status, 200)
  assert.equal((await browser('GET', SESSION)).headers.get('x-ratelimit-remaining'), '0')
  assert.equal((await browser('GET', SESSION)).status, 429)
  assert.equal((await callerWith(service.baseUrl, ADMIN_KEY)('GET', SESSION)).status, 429)
})

test('an open service needs no session and sets no cookie', async (t) => {
  const { baseUrl } = await aService(t)
  const call = callerWith(baseUrl)
  const expected = { data: { requires_key: false, key: null, expires_at: null } }
  const read = await call('GET', SESSION)
  const signedIn = await call('POST', SESSION, { remember: true })
  assert.deepEqual([read.body, signedIn.body, signedIn.status], [expected, expected, 201])
  const out = await call('DELETE', SESSION, undefined, { Cookie: 'stowage-session-4000=a' })
  assert.deepEqual([out.status, out.body], [200, { deleted: true }])
  assert.deepEqual(
    [signedIn, out].map(({ headers }) => headers.get('set-cookie')),
    [null, null],
  )
})
