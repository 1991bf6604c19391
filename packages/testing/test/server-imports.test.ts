import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { test } from 'node:test'
import { importsOf, ROOT } from './imports-of.ts'

const source = join(ROOT, 'packages/server/src')

/** Which folder of the server may import from which other folders. */
const ALLOWED_IMPORTS: Record<string, string[]> = {
  domain: [],
  crypto: [],
  iterables: [],
  'node-http': [],
  text: [],
  config: ['domain', 'mail', 'text'],
  process: ['config', 'domain'],
  wire: ['domain'],
  'storage/port': ['domain'],
  'storage/disk': ['storage/port', 'archives', 'crypto', 'domain', 'node-http', 'text'],
  'storage/s3': ['storage/port', 'crypto', 'domain', 'node-http'],
  'database/port': ['domain', 'iterables'],
  'database/shared': ['database/port', 'domain', 'iterables'],
  'database/sqlite': ['database/port', 'database/shared', 'domain', 'iterables', 'process'],
  'database/postgres': ['database/port', 'database/shared', 'domain', 'iterables'],
  archives: ['domain', 'node-http', 'storage/port'],
  mail: ['domain', 'text'],
  operations: ['crypto', 'database/port', 'domain', 'iterables', 'mail', 'storage/port', 'wire'],
  jobs: ['crypto', 'database/port', 'domain', 'iterables', 'operations', 'storage/port'],
  http: ['archives', 'crypto', 'domain', 'iterables', 'node-http', 'operations', 'text', 'wire'],
  engines: [
    'config',
    'crypto',
    'database/port',
    'database/sqlite',
    'database/postgres',
    'domain',
    'storage/port',
    'storage/disk',
    'storage/s3',
    'text',
  ],
  doctor: [
    'crypto',
    'database/port',
    'domain',
    'engines',
    'iterables',
    'operations',
    'process',
    'storage/port',
  ],
  move: ['crypto', 'database/port', 'domain', 'iterables', 'storage/port'],
  backup: ['database/port', 'domain', 'iterables', 'storage/port'],
  metrics: ['database/port', 'domain', 'node-http', 'storage/port'],
  'webhook-sender': ['domain', 'node-http'],
  operator: [
    'backup',
    'config',
    'crypto',
    'database/port',
    'domain',
    'engines',
    'move',
    'operations',
    'process',
    'storage/port',
    'wire',
  ],
  compose: [
    'config',
    'crypto',
    'database/port',
    'doctor',
    'domain',
    'engines',
    'http',
    'jobs',
    'mail',
    'metrics',
    'node-http',
    'operations',
    'operator',
    'process',
    'storage/port',
    'text',
    'webhook-sender',
  ],
  // Of the engines, only the start of the storage's thread, which must not wait until `compose.ts` is loaded.
  main: [
    'backup',
    'compose',
    'config',
    'doctor',
    'domain',
    'engines',
    'move',
    'node-http',
    'operator',
    'process',
  ],
}

/** External packages that only these folders may import. */
const RESTRICTED_PACKAGES: Record<string, string[]> = {
  fastify: ['http'],
  'node:sqlite': ['database/sqlite', 'process'],
  postgres: ['database/postgres'],
  '@aws-sdk/client-s3': ['storage/s3'],
  'lru-cache': ['database/shared'],
  'nodemailer/lib/mail-composer': ['mail'],
  'prom-client': ['metrics'],
  'nodemailer/lib/smtp-connection': ['mail'],
}

/** `storage/disk/folders.ts` belongs to `storage/disk`, and `storage/storage.ts` to `storage/port`. */
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

const ENGINES = ['database/sqlite', 'database/postgres', 'storage/disk', 'storage/s3']

test('only engines/open-engines.ts imports the modules of the engines', () => {
  const importers = files.filter((file) =>
    importsOf(file).some((name) => {
      const folder = name.startsWith('.') ? folderOf(join(dirname(file), name)) : ''
      return ENGINES.includes(folder) && folder !== folderOf(file)
    }),
  )
  assert.deepEqual(importers, [join(source, 'engines/open-engines.ts')])
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
