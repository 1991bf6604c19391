import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Environment, readConfig } from './config.ts'
import { describeDatabase, startupMessage } from './describe.ts'

test('a database is described by its folder, or by its host and name, without credentials', () => {
  const describe = (settings: Record<string, string>) => describeDatabase(readConfig(settings))
  assert.equal(describe({ STOWAGE_DATA: '/srv/data' }), 'SQLite in /srv/data')
  for (const [url, expected] of [
    ['postgres://user:secret@db.example:5433/shop?password=secret', 'db.example:5433/shop'],
    ['postgres:///shop?host=/var/run/postgresql&user=me', '/var/run/postgresql/shop'],
  ] as const) {
    assert.equal(describe({ STOWAGE_DATABASE: url }), `PostgreSQL at ${expected}`)
  }
})

const URLS = { baseUrl: 'http://127.0.0.1:4000', storageUrl: 'http://127.0.0.1:4001' }

function messageWith(environment: Environment): string {
  return startupMessage(URLS, '1.2.3', readConfig(environment))
}

test('an open service prints its URLs and a command that works without a key', () => {
  const text = messageWith({})
  assert.match(text, /Dashboard +http:\/\/127\.0\.0\.1:4000\n/)
  assert.match(text, /curl http:\/\/127\.0\.0\.1:4000\/api\/v1\/assets/)
  assert.doesNotMatch(text, /Bearer|keys add/)
})

test('a service that requires keys prints how to create the first one', () => {
  assert.match(messageWith({ STOWAGE_AUTH: 'keys' }), /npx stowage keys add --name first/)
})

test('with an admin key, the message names the setting, contains no key, and does not suggest creating one', () => {
  const key = 'k'.repeat(40)
  const text = messageWith({ STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: key })
  assert.match(text, /Sign in with the key in STOWAGE_ADMIN_KEY/)
  assert.match(text, /Bearer \$STOWAGE_ADMIN_KEY/)
  assert.doesNotMatch(text, /keys add/)
  assert.ok(!text.includes(key))
})
