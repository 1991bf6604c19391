import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ConnectionSources,
  parseServiceUrl,
  resolveConnection,
  sendsKeyUnencrypted,
} from './connection.ts'
import { UsageError } from './usage.ts'

const LOGIN = { url: 'https://files.example', key: 'login-key' }

function connect(sources: Partial<ConnectionSources>) {
  return resolveConnection({ options: {}, environment: {}, login: undefined, ...sources })
}

test('the default is the local service without a key', () => {
  assert.deepEqual(connect({}), { url: 'http://127.0.0.1:4000', key: undefined })
})

test('options take precedence over variables, and variables over the login', () => {
  const environment = { STOWAGE_URL: 'https://b.example', STOWAGE_API_KEY: 'b' }
  assert.deepEqual(connect({ login: LOGIN }), LOGIN)
  assert.deepEqual(connect({ login: LOGIN, environment }), { url: 'https://b.example', key: 'b' })
  const options = { url: 'https://c.example/', key: 'c' }
  assert.deepEqual(connect({ login: LOGIN, environment, options }), {
    url: 'https://c.example',
    key: 'c',
  })
})

test('a key is never sent to a service that it was not given for', () => {
  const options = { url: 'https://elsewhere.example' }
  assert.equal(connect({ login: LOGIN, options }).key, undefined)
  const environment = { STOWAGE_URL: 'https://b.example', STOWAGE_API_KEY: 'b' }
  assert.equal(connect({ environment, options }).key, undefined)
  assert.equal(connect({ login: LOGIN, environment: { STOWAGE_URL: options.url } }).key, undefined)
})

test('a key without a URL is sent to the URL from the other sources', () => {
  const environment = { STOWAGE_API_KEY: 'b' }
  assert.deepEqual(connect({ login: LOGIN, environment }), { url: LOGIN.url, key: 'b' })
  assert.deepEqual(connect({ environment, options: { url: 'https://c.example' } }).key, 'b')
  assert.equal(connect({ login: LOGIN, options: { key: '' } }).key, undefined)
})

test('a URL is accepted with or without a scheme, path and slash', () => {
  const expected: [string, string][] = [
    ['https://files.example/', 'https://files.example'],
    ['https://files.example/api/v1/', 'https://files.example'],
    ['https://example.com/files/api/v1', 'https://example.com/files'],
    ['files.example', 'https://files.example'],
    ['localhost:4000', 'http://localhost:4000'],
    ['[::1]:4000', 'http://[::1]:4000'],
    ['HTTP://127.0.0.1:4000', 'http://127.0.0.1:4000'],
  ]
  for (const [text, url] of expected) assert.equal(parseServiceUrl(text), url)
  for (const text of ['', 'ftp://x', 'https://', 'https://user:secret@files.example']) {
    assert.throws(() => parseServiceUrl(text), UsageError, text)
  }
})

test('an invalid key is refused before it is sent', () => {
  for (const key of ['…', 'two words', 'ключ']) {
    assert.throws(() => connect({ options: { key } }), /--key is not a valid key/)
  }
  assert.equal(connect({ environment: { STOWAGE_API_KEY: 'stow_a\n' } }).key, 'stow_a')
})

test('a key counts as sent unencrypted only if it is sent to another machine without HTTPS', () => {
  assert.ok(sendsKeyUnencrypted({ url: 'http://files.example', key: 'k' }))
  assert.ok(!sendsKeyUnencrypted({ url: 'https://files.example', key: 'k' }))
  assert.ok(!sendsKeyUnencrypted({ url: 'http://127.0.0.1:4000', key: 'k' }))
  assert.ok(sendsKeyUnencrypted({ url: 'http://127.0.0.1.evil.example', key: 'k' }))
  assert.ok(!sendsKeyUnencrypted({ url: 'http://files.example', key: undefined }))
})
