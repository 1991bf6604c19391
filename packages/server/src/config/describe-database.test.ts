import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from './config.ts'
import { describeDatabase } from './describe-database.ts'

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
