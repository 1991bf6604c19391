import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
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

/** What instances of the last release do not survive, or what locks a table for as long as it is large. */
const UNSAFE: [RegExp, string][] = [
  [/\brename\b/, 'renames something'],
  [/^alter table\b[^;]*\bdrop\b/m, 'drops something'],
  [/^drop (?!trigger|function|index concurrently)/m, 'drops something'],
  [
    /\bset not null\b|\btype \w+ using\b|^alter table[^;]*\balter column \w+ type\b/m,
    'changes a column',
  ],
  [
    /\badd column\b(?![^;]*\bdefault\b)[^;,]*\bnot null\b/,
    'adds a column that old writes leave empty',
  ],
  [/\badd column\b[^;]*\bgenerated\b[^;]*\bstored\b/, 'rewrites a table'],
  [/\badd (constraint|check|foreign key|unique)\b(?![^;]*\bnot valid\b)/, 'checks every row'],
  [/^(update|delete|insert into \w+[^;]*\bfrom\b)/m, 'changes many rows'],
]

test('on PostgreSQL, instances of the last release work while and after a migration runs', () => {
  const folder = join(ROOT, 'packages/server/migrations/postgres')
  const releases = globSync(join(ROOT, 'packages/server/test/releases/*/postgres.sql'))
  const released = releases.map((file) => readFileSync(file, 'utf8')).join()
  const names = globSync('*.sql', { cwd: folder }).sort()
  const created = /^create (?:unlogged )?table (\w+)/gm
  const oldTables = new Set<string>()
  for (const name of names) {
    const sql = readFileSync(join(folder, name), 'utf8').replace(/^\s*--.*\n/gm, '')
    if (released.includes(name)) {
      for (const [, table = ''] of sql.matchAll(created)) oldTables.add(table)
      continue
    }
    // The bodies of functions run later.
    const statements = sql.replace(/as \$\$[\s\S]*?\$\$/g, 'as body')
    for (const [unsafe, text] of UNSAFE) assert.doesNotMatch(statements, unsafe, `${name} ${text}`)
    for (const [, table = ''] of statements.matchAll(
      /^create (?:unique )?index \w+\s+on (\w+)/gm,
    )) {
      assert.ok(!oldTables.has(table), `${name} locks ${table}: use create index concurrently`)
    }
  }
  assert.ok(oldTables.size > 0)
})
