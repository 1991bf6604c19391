import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { leastPolicy } from './policy.ts'

test('the page on production shows exactly the rights that are needed', () => {
  const page = readFileSync(new URL('../../../../../docs/production.md', import.meta.url), 'utf8')
  const [, shown = ''] = /```json\n(.*?)```/s.exec(page) ?? []
  const policy = leastPolicy({ bucket: 'stowage', prefix: '' }, { setup: true })
  assert.deepEqual(JSON.parse(shown), policy)
})
