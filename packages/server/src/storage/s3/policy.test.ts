import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { minimalPolicy } from './policy.ts'

test('docs/production.md shows exactly the required permissions', () => {
  const page = readFileSync(new URL('../../../../../docs/production.md', import.meta.url), 'utf8')
  const [, shown = ''] = /```json\n(.*?)```/s.exec(page) ?? []
  const policy = minimalPolicy({ bucket: 'stowage', prefix: '' }, { setup: true })
  assert.deepEqual(JSON.parse(shown), policy)
})
