import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { folder } from '@stowage/dashboard'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { aService } from '@stowage/testing/service/service'
import { sendExactly } from '../../support/exact-request.ts'

const PAGES = [
  '/',
  '/assets/01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f',
  '/products',
  '/trash',
  '/settings',
]

test('every page of the dashboard is the same document, with a strict content security policy', async (t) => {
  const service = await aService(t, {}, undefined, { dashboard: folder })
  const nonces = new Set<string>()
  for (const path of PAGES) {
    const { status, headers, body } = await service.call('GET', path)
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^text\/html/)
    assert.equal(headers.get('cache-control'), 'no-cache')
    const nonce = /name="style-nonce" content="([^"]+)"/.exec(body)?.[1] ?? ''
    nonces.add(nonce)
    const policy = new Map(
      (headers.get('content-security-policy') ?? '').split('; ').map((rule) => {
        const [name = '', ...sources] = rule.split(' ')
        return [name, sources]
      }),
    )
    const storage = new URL(service.storageUrl).origin
    assert.deepEqual(policy.get('default-src'), ["'none'"])
    assert.deepEqual(policy.get('script-src'), ["'self'"])
    assert.deepEqual(policy.get('style-src'), ["'self'", `'nonce-${nonce}'`])
    assert.deepEqual(policy.get('connect-src'), ["'self'", storage])
    assert.deepEqual(policy.get('frame-ancestors'), ["'none'"])
    assert.doesNotMatch(body, /<script>|<style|https?:\/\/(?!www\.w3\.org)/)
  }
  assert.equal(nonces.size, PAGES.length)
})

test('the files of the dashboard are compressed as the browser accepts, and cached permanently', async (t) => {
  // A folder whose name must be encoded in URLs.
  const dashboard = pathToFileURL(join(await aFolder(t), 'a folder of été/'))
  await cp(folder, dashboard, { recursive: true })
  const { baseUrl, call } = await aService(t, {}, undefined, { dashboard })
  const { body } = await call('GET', '/')
  const script = /src="(\/app\/[^"]+\.js)"/.exec(body)?.[1] ?? ''
  const contents = new Set<string>()
  for (const [accepted, encoding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br;q=0', 'identity'],
    ['br ; q=0', 'identity'],
    ['identity', 'identity'],
  ] as const) {
    const headers = { 'accept-encoding': accepted }
    const response = await fetch(baseUrl + script, { headers })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-encoding') ?? 'identity', encoding)
    assert.equal(response.headers.get('vary'), 'Accept-Encoding')
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.match(response.headers.get('content-type') ?? '', /^text\/javascript/)
    contents.add(await response.text())
  }
  assert.equal(contents.size, 1)
})

test('only the built files are served', async (t) => {
  const { baseUrl, call } = await aService(t, {}, undefined, { dashboard: folder })
  for (const name of ['nothing.js', '..%2findex.html', '..%2f..%2fpackage.json', 'x.txt']) {
    const { status, body } = await call('GET', `/app/${name}`)
    assert.deepEqual([status, body.code], [404, 'not_found'], name)
  }
  for (const path of [
    '/app/../source-hash.txt',
    '/app/%2e%2e',
    '/app/..%5cindex.html',
    '/source-hash.txt',
    '/app/',
  ]) {
    const response = await sendExactly(baseUrl, { method: 'GET', path })
    assert.equal(response.status, 404, path)
  }
  for (const name of readdirSync(new URL('app/', folder))) {
    const isFile = !/\.(br|gz)$/.test(name)
    assert.equal((await call('GET', `/app/${name}`)).status, isFile ? 200 : 404, name)
  }
})

test('a service without a built dashboard explains how to build it', async (t) => {
  const { call } = await aService(t)
  const { status, body } = await call('GET', '/')
  assert.equal(status, 200)
  assert.match(body, /npm run build/)
})

test('a dashboard that is built while the service runs is served, and each file is read once', async (t) => {
  const path = join(await aFolder(t), 'dashboard')
  const dashboard = pathToFileURL(`${path}/`)
  const { call } = await aService(t, {}, undefined, { dashboard })
  assert.match((await call('GET', '/')).body, /not built/)
  await cp(folder, dashboard, { recursive: true })
  const { body } = await call('GET', '/')
  const script = /src="(\/app\/[^"]+\.js)"/.exec(body)?.[1] ?? ''
  const first = await call('GET', script)
  assert.equal(first.status, 200)
  await rm(path, { recursive: true })
  assert.equal((await call('GET', script)).body, first.body)
  assert.equal((await call('GET', '/')).status, 200)
})
