import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ERRORS } from '@stowage/protocol'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const source = join(root, 'packages/server/src')

/** Which folder may import from which; any other arrow is a mistake. */
const ARROWS: Record<string, string[]> = {
  domain: [],
  errors: [],
  crypto: [],
  iterables: [],
  'node-http': [],
  'shutdown-timeout': [],
  config: ['domain', 'text'],
  'hold-data-folder': [],
  log: ['config'],
  'storage/port': ['domain', 'errors'],
  'storage/disk': [
    'storage/port',
    'crypto',
    'domain',
    'errors',
    'node-http',
    'shutdown-timeout',
    'text',
  ],
  'storage/s3': ['storage/port', 'crypto', 'domain', 'errors'],
  'database/port': ['domain', 'errors'],
  'database/listing': ['database/port', 'domain'],
  'database/sqlite': ['database/port', 'database/listing', 'domain', 'errors'],
  'database/postgres': ['database/port', 'database/listing', 'domain', 'errors'],
  identity: ['storage/port', 'database/port'],
  operations: ['storage/port', 'database/port', 'domain', 'errors'],
  jobs: [
    'operations',
    'storage/port',
    'database/port',
    'domain',
    'errors',
    'iterables',
    'shutdown-timeout',
  ],
  http: ['operations', 'domain', 'errors', 'node-http', 'present-key', 'shutdown-timeout'],
  doctor: ['identity', 'storage/port', 'database/port', 'domain', 'errors', 'iterables'],
  move: ['storage/port', 'database/port', 'domain', 'errors', 'iterables'],
  'open-engines': [
    'domain',
    'config',
    'storage/port',
    'storage/disk',
    'storage/s3',
    'database/port',
    'database/sqlite',
    'database/postgres',
    'text',
  ],
  compose: [
    'domain',
    'config',
    'doctor',
    'hold-data-folder',
    'http',
    'identity',
    'jobs',
    'open-engines',
    'operations',
    'operator',
    'storage/port',
    'database/port',
    'text',
  ],
  'compose-adopt': ['config', 'hold-data-folder', 'identity', 'open-engines'],
  'compose-move': ['config', 'hold-data-folder', 'identity', 'move', 'open-engines'],
  operator: ['operations', 'domain', 'present-key'],
  'present-key': ['domain'],
  text: [],
  main: [
    'compose',
    'compose-adopt',
    'compose-move',
    'config',
    'domain',
    'errors',
    'log',
    'move',
    'operator',
    'shutdown-timeout',
  ],
}

/** Packages that stay in one place. */
const KEPT_IN: Record<string, string[]> = {
  fastify: ['http'],
  'node:sqlite': ['database/sqlite', 'hold-data-folder'],
  postgres: ['database/postgres'],
  '@aws-sdk/client-s3': ['storage/s3'],
  'hash-wasm': ['storage/disk'],
}

/** `storage/disk/layout.ts` is of `storage/disk`, `storage/storage.ts` of `storage/port`. */
function roomOf(file: string): string {
  const steps = relative(source, file).replace(/\.ts$/, '').split(sep)
  const [first = '', second = ''] = steps
  if (first !== 'storage' && first !== 'database') return first
  return steps.length > 2 ? `${first}/${second}` : `${first}/port`
}

const files = globSync(join(source, '**/*.ts')).filter(
  (file) => !/(\.(test|contract)\.ts$|[\\/]contract[\\/])/.test(file),
)

function importsOf(file: string): string[] {
  const matches = readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g)
  return [...matches].map(([, name]) => name ?? '')
}

test('imports point one way', () => {
  assert.ok(files.length > 40)
  for (const file of files) {
    const room = roomOf(file)
    assert.ok(ARROWS[room], `${room} has no rule in the table`)
    for (const name of importsOf(file).filter((path) => path.startsWith('.'))) {
      const target = join(dirname(file), name)
      if (target.endsWith('.json')) continue
      const other = roomOf(target)
      const isAllowed = other === room || ARROWS[room].includes(other)
      assert.ok(isAllowed, `${relative(root, file)} must not import from ${other}`)
    }
  }
})

test('routes call operations, never a port', () => {
  const call = /\b(data|database|storage)\.\w+\(/
  const inHttp = files.filter((file) => roomOf(file) === 'http')
  assert.ok(inHttp.length > 20)
  for (const file of inHttp) assert.doesNotMatch(readFileSync(file, 'utf8'), call, file)
})

test('each engine’s and framework’s package stays in its folder', () => {
  for (const file of files) {
    for (const name of importsOf(file)) {
      const rooms = KEPT_IN[name]
      if (rooms) assert.ok(rooms.includes(roomOf(file)), `${relative(root, file)} imports ${name}`)
    }
  }
})

test('only main.ts reads the environment', () => {
  for (const file of files) {
    const reads = readFileSync(file, 'utf8').includes('process.env')
    assert.equal(reads, roomOf(file) === 'main', relative(root, file))
  }
})

test('docs/errors.md lists exactly the codes that there are, with their statuses', () => {
  const page = readFileSync(join(root, 'docs/errors.md'), 'utf8')
  const rows = [...page.matchAll(/^\| (\d{3}) \| `(\w+)` \| (.+) \| (.+) \|$/gm)]
  const documented = rows.map(([, status, code, when, remedy]) => ({
    code,
    status: Number(status),
    when,
    remedy,
  }))
  const known = Object.entries(ERRORS).map(([code, entry]) => ({ code, ...entry }))
  const byCode = (a: { code?: string | undefined }, b: { code?: string | undefined }) =>
    (a.code ?? '').localeCompare(b.code ?? '')
  assert.deepEqual(documented.sort(byCode), known.sort(byCode))
})

test('every engine has the same migrations', () => {
  const engines = globSync(join(root, 'packages/server/migrations/*'))
  const lists = engines.map((folder) => globSync('*.sql', { cwd: folder }).sort())
  assert.ok(lists.length > 0)
  for (const list of lists) assert.deepEqual(list, lists[0])
})

/** Each engine's way to run units of work, and SQLite's way to survive a full disk. */
const OF_ONE_ENGINE = ['sqlite/group-commit.ts', 'sqlite/spare-file.ts', 'postgres/pool.ts']

test('both database engines have the same files', () => {
  const [sqlite = [], postgres] = ['sqlite', 'postgres'].map((engine) => {
    const names = globSync('*.ts', { cwd: join(source, 'database', engine) })
    return names
      .filter((name) => !name.endsWith('.test.ts'))
      .filter((name) => !OF_ONE_ENGINE.includes(`${engine}/${name}`))
      .map((name) => name.replace(`${engine}-`, ''))
      .sort()
  })
  assert.ok(sqlite.length > 20)
  assert.deepEqual(sqlite, postgres)
})

test('no file grows past 300 lines', () => {
  for (const file of globSync(join(root, 'packages/*/{src,test}/**/*.ts'))) {
    if (file.endsWith('.contract.ts')) continue
    const lines = readFileSync(file, 'utf8').split('\n').length
    assert.ok(lines <= 300, `${relative(root, file)} has ${lines} lines`)
  }
})

test('the lock file names no download address', () => {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8')
  assert.doesNotMatch(lock, /"resolved": "http/)
})
