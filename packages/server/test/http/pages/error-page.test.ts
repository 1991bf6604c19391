import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { sendExactly } from '../../support/exact-request.ts'

const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

test('a browser gets a page for a mistyped URL, and a program gets JSON', async (t) => {
  const { call } = await aService(t)
  for (const path of [
    '/setings',
    '/docs/nowhere',
    '/app/nothing.js',
    `/assets/${'x'.repeat(300)}`,
  ]) {
    const { status, headers, body } = await call('GET', path, undefined, BROWSER)
    assert.equal(status, 404, path)
    assert.match(headers.get('content-type') ?? '', /^text\/html/)
    assert.match(body, /<h1>Page not found<\/h1>/)
    assert.match(body, /<a href="\/">.*<a href="\/docs">/)
    // The policy allows exactly this style, and no script.
    const style = /<style>([^<]*)<\/style>/.exec(body)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    const policy = headers.get('content-security-policy') ?? ''
    assert.ok(policy.startsWith(`default-src 'none'; style-src 'sha256-${hash}';`), policy)
    assert.doesNotMatch(body, /<script/)
  }
  const head = await call('HEAD', '/setings', undefined, BROWSER)
  assert.deepEqual([head.status, head.body], [404, ''])
  const programs = [
    call('GET', '/setings'),
    call('GET', '/setings', undefined, { Accept: 'application/json' }),
    call('POST', '/setings', {}, BROWSER),
    call('GET', `${API}/asets`, undefined, BROWSER),
    call('GET', '/api', undefined, BROWSER),
  ]
  for (const { status, body } of await Promise.all(programs)) {
    assert.deepEqual([status, body.code], [404, 'not_found'])
  }
})

test('a browser gets a page for an invalid URL and for a refused host', async (t) => {
  const { baseUrl } = await aService(t)
  const invalid = await sendExactly(baseUrl, { method: 'GET', path: '/%zz', headers: BROWSER })
  assert.equal(invalid.status, 400)
  assert.match(invalid.body, /<h1>Invalid URL<\/h1>/)
  const headers = { ...BROWSER, Host: '<script>.example' }
  const refused = await sendExactly(baseUrl, { method: 'GET', path: '/', headers })
  assert.equal(refused.status, 403)
  assert.match(refused.body, /<h1>Not allowed<\/h1>\s*<p>Without keys, /)
  assert.doesNotMatch(refused.body, /<script/)
})
