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

test('the numbers of migrations are unique and consecutive', () => {
  const names = globSync('*.sql', { cwd: join(ROOT, 'packages/server/migrations/sqlite') }).sort()
  assert.ok(names.length > 20)
  const numbers = names.map((name) => name.split('_')[0])
  assert.deepEqual(
    numbers,
    names.map((_, index) => String(index + 1).padStart(4, '0')),
  )
})

/**
 * Files that only one engine needs: how it runs units of work, survives a full disk, sends arrays, upgrades without
 * indexes, or notifies other instances.
 */
const OF_ONE_ENGINE = [
  'sqlite/group-commit.ts',
  // PostgreSQL reads long lists without blocking the event loop.
  'sqlite/scan.ts',
  'sqlite/spare-file.ts',
  'postgres/array-types.ts',
  'postgres/event-marks.ts',
  'postgres/notifier.ts',
  'postgres/pool.ts',
  'postgres/without-indexes.ts',
]

test('both database engines have the same files', () => {
  const [sqlite = [], postgres] = ['sqlite', 'postgres'].map((engine) => {
    const names = globSync('*.ts', { cwd: join(ROOT, 'packages/server/src/database', engine) })
    return names
      .filter((name) => !name.endsWith('.test.ts'))
      .filter((name) => !OF_ONE_ENGINE.includes(`${engine}/${name}`))
      .map((name) => name.replace(`${engine}-`, ''))
      .sort()
  })
  assert.ok(sqlite.length > 20)
  assert.deepEqual(sqlite, postgres)
})
