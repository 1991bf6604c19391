import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from './imports-of.ts'

test('both database engines have the same migrations', () => {
  const engines = globSync(join(ROOT, 'packages/server/migrations/*'))
  const lists = engines.map((folder) => globSync('*.sql', { cwd: folder }).sort())
  assert.ok(lists.length > 0)
  for (const list of lists) assert.deepEqual(list, lists[0])
})

// Not consecutive: changes that are developed at the same time reserve their numbers.
test('the numbers of migrations are unique', () => {
  const names = globSync('*.sql', { cwd: join(ROOT, 'packages/server/migrations/sqlite') }).sort()
  assert.ok(names.length > 0)
  for (const name of names) assert.match(name, /^\d{4}_[a-z_]+\.sql$/)
  const numbers = names.map((name) => name.split('_')[0])
  assert.equal(new Set(numbers).size, names.length)
})
