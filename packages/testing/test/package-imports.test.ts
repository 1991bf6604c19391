import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { test } from 'node:test'
import { importsOf, ROOT } from './imports-of.ts'

/** Which packages a package may import: in its source code and tests, and only in its tests. */
const ALLOWED: Record<string, { source: string[]; tests: string[] }> = {
  protocol: { source: [], tests: ['testing'] },
  client: { source: ['protocol'], tests: ['testing'] },
  server: { source: ['protocol'], tests: ['dashboard', 'testing'] },
  dashboard: { source: ['client', 'protocol'], tests: ['server', 'testing'] },
  cli: { source: ['client', 'dashboard', 'protocol', 'server'], tests: ['testing'] },
  pack: { source: ['protocol'], tests: ['client', 'testing'] },
  testing: { source: ['protocol', 'server'], tests: [] },
  proofs: { source: ['protocol', 'server', 'testing'], tests: ['dashboard'] },
  bench: { source: ['client', 'protocol', 'server', 'testing'], tests: [] },
}

/** Packages whose source code may import the server's internal modules, `@stowage/server/src/…`. */
const USES_INTERNALS = ['bench', 'proofs', 'testing']

interface SourceFile {
  path: string
  package: string
  isTest: boolean
  imports: string[]
}

const files: SourceFile[] = globSync(
  ['packages/*/{src,bin,test}/**/*.{ts,tsx,js}', 'packages/*/*.ts'],
  { cwd: ROOT },
).map((native) => {
  const path = native.replaceAll(sep, '/')
  return {
    path,
    package: path.split('/')[1] ?? '',
    isTest: /\/test\/|\.test\.tsx?$|\.contract\.ts$|\/contract\//.test(path),
    imports: importsOf(join(ROOT, path)),
  }
})

test('each package imports only the packages that the table allows', () => {
  assert.ok(files.length > 450, `${files.length} files`)
  for (const { path, package: name, isTest, imports } of files) {
    const rule = ALLOWED[name]
    assert.ok(rule, `the package ${name} has no rule in the table`)
    const allowed = [name, ...rule.source, ...(isTest ? rule.tests : [])]
    for (const [, other = ''] of imports.map((one) => one.split(/^@stowage\/([\w-]+)/))) {
      if (other !== '') assert.ok(allowed.includes(other), `${path} must not import ${other}`)
    }
  }
})

test('every rule of the table is used', () => {
  for (const [name, { source, tests }] of Object.entries(ALLOWED)) {
    const own = files.filter((file) => file.package === name)
    for (const other of [...source, ...tests]) {
      const isUsed = own.some(
        ({ imports, isTest }) =>
          (isTest || source.includes(other)) &&
          imports.some((one) => `${one}/`.startsWith(`@stowage/${other}/`)),
      )
      assert.ok(isUsed, `${name} does not import ${other}: remove it from the table`)
    }
  }
})

test('only tests and benchmarks import internal modules of the server', () => {
  for (const { path, package: name, isTest, imports } of files) {
    if (isTest || USES_INTERNALS.includes(name)) continue
    const internal = imports.filter((one) => one.startsWith('@stowage/server/src/'))
    assert.deepEqual(internal, [], path)
  }
})

test('no relative import leaves its package', () => {
  for (const { path, package: name, imports } of files) {
    for (const one of imports.filter((specifier) => specifier.startsWith('.'))) {
      const target = relative(join(ROOT, 'packages', name), join(ROOT, dirname(path), one))
      assert.ok(!target.startsWith('..'), `${path} imports ${one}`)
    }
  }
})

test('the client imports only types from the protocol, because it is published without the protocol', () => {
  const source = files.filter(({ package: name, isTest }) => name === 'client' && !isTest)
  for (const { path } of source) {
    const text = readFileSync(join(ROOT, path), 'utf8')
    const statements = text.matchAll(/^(?:import|export)\b[^;']*?from '@stowage\/protocol[^']*'/gm)
    for (const [statement] of statements) {
      assert.match(statement, /^(?:import|export) type\b/, `${path}: ${statement}`)
    }
    assert.doesNotMatch(text, /import\('@stowage\/protocol/, path)
  }
})
