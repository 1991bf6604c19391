import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { test } from 'node:test'
import { importsOf, ROOT } from './imports-of.ts'

const source = join(ROOT, 'packages/server/src')

/** Which folder of the server may import from which other folders. */
const ALLOWED_IMPORTS: Record<string, string[]> = {
  domain: [],
  errors: [],
  crypto: [],
  iterables: [],
  'node-http': [],
  'shutdown-timeout': [],
  config: ['domain', 'text'],
  'private-files': [],
  'lock-data-folder': ['private-files'],
  log: ['config', 'errors'],
  'startup-message': ['config'],
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
  'storage/s3': ['storage/port', 'crypto', 'domain', 'errors', 'node-http'],
  'database/port': ['domain', 'errors', 'iterables'],
  'database/listing': ['database/port', 'domain'],
  'database/sqlite': [
    'database/port',
    'database/listing',
    'domain',
    'errors',
    'private-files',
    'iterables',
  ],
  'database/postgres': ['database/port', 'database/listing', 'domain', 'errors'],
  identity: ['crypto', 'storage/port', 'database/port', 'errors'],
  operations: ['crypto', 'storage/port', 'database/port', 'domain', 'errors', 'iterables'],
  'close-stored-upload': ['storage/port', 'database/port'],
  jobs: [
    'crypto',
    'close-stored-upload',
    'operations',
    'storage/port',
    'database/port',
    'domain',
    'errors',
    'iterables',
    'shutdown-timeout',
  ],
  http: [
    'operations',
    'domain',
    'errors',
    'node-http',
    'present-key',
    'shutdown-timeout',
    'iterables',
  ],
  doctor: [
    'crypto',
    'close-stored-upload',
    'identity',
    'storage/port',
    'database/port',
    'domain',
    'errors',
    'iterables',
    'private-files',
  ],
  move: ['crypto', 'storage/port', 'database/port', 'domain', 'errors', 'iterables'],
  'webhook-sender': ['domain', 'node-http'],
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
  'require-database': ['config', 'open-engines'],
  compose: [
    'crypto',
    'domain',
    'config',
    'doctor',
    'lock-data-folder',
    'log',
    'http',
    'identity',
    'jobs',
    'open-engines',
    'operations',
    'operator',
    'require-database',
    'storage/port',
    'database/port',
    'text',
    'webhook-sender',
  ],
  'compose-adopt': ['config', 'lock-data-folder', 'identity', 'open-engines', 'require-database'],
  'compose-move': ['config', 'crypto', 'lock-data-folder', 'identity', 'move', 'open-engines'],
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
    'startup-message',
  ],
}

/** External packages that only these folders may import. */
const RESTRICTED_PACKAGES: Record<string, string[]> = {
  fastify: ['http'],
  'node:sqlite': ['database/sqlite', 'lock-data-folder'],
  postgres: ['database/postgres'],
  '@aws-sdk/client-s3': ['storage/s3'],
  'hash-wasm': ['storage/disk'],
  'lru-cache': ['database/listing'],
}

/** `storage/disk/layout.ts` belongs to `storage/disk`, and `storage/storage.ts` to `storage/port`. */
function folderOf(file: string): string {
  const steps = relative(source, file).replace(/\.ts$/, '').split(sep)
  const [first = '', second = ''] = steps
  if (first !== 'storage' && first !== 'database') return first
  return steps.length > 2 ? `${first}/${second}` : `${first}/port`
}

const files = globSync(join(source, '**/*.ts')).filter(
  (file) => !/(\.(test|contract)\.ts$|[\\/]contract[\\/])/.test(file),
)

test('each folder of the server imports only the folders that the table allows', () => {
  assert.ok(files.length > 40)
  for (const file of files) {
    const folder = folderOf(file)
    assert.ok(ALLOWED_IMPORTS[folder], `${folder} has no rule in the table`)
    for (const name of importsOf(file).filter((path) => path.startsWith('.'))) {
      const target = join(dirname(file), name)
      if (target.endsWith('.json')) continue
      const other = folderOf(target)
      const isAllowed = other === folder || ALLOWED_IMPORTS[folder].includes(other)
      assert.ok(isAllowed, `${relative(ROOT, file)} must not import from ${other}`)
    }
  }
})

test('routes call operations, never a port', () => {
  const call = /\b(data|database|storage)\.\w+\(/
  const inHttp = files.filter((file) => folderOf(file) === 'http')
  assert.ok(inHttp.length > 20)
  for (const file of inHttp) assert.doesNotMatch(readFileSync(file, 'utf8'), call, file)
})

test('the packages of engines and frameworks are imported only in their folders', () => {
  for (const file of files) {
    for (const name of importsOf(file)) {
      const allowed = RESTRICTED_PACKAGES[name]
      if (allowed)
        assert.ok(allowed.includes(folderOf(file)), `${relative(ROOT, file)} imports ${name}`)
    }
  }
})

test('only types are imported from node:http, because the import itself loads fetch', () => {
  for (const file of files) {
    assert.doesNotMatch(
      readFileSync(file, 'utf8'),
      /^import (?!type )[^'"]*from 'node:http'/m,
      relative(ROOT, file),
    )
  }
})

test('only main.ts reads the environment', () => {
  for (const file of files) {
    const reads = readFileSync(file, 'utf8').includes('process.env')
    assert.equal(reads, folderOf(file) === 'main', relative(ROOT, file))
  }
})
