import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

test('a failed test that uses PostgreSQL fails the process that it shares with other tests', () => {
  const file = fileURLToPath(new URL('./fails-with-postgres.ts', import.meta.url))
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--test', '--test-isolation=none', file],
    { encoding: 'utf8', env },
  )
  assert.match(stdout, /fails on purpose/)
  assert.equal(status, 1, stdout)
})
