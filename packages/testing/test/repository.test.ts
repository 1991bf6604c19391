import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { ERRORS } from '@stowage/protocol'
import { ROOT } from './imports-of.ts'

test('docs/errors.md lists exactly the error codes of the catalog, with their statuses', () => {
  const page = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8')
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

test('no file except contracts has more than 500 lines', () => {
  for (const file of globSync(join(ROOT, 'packages/*/{src,test}/**/*.{ts,tsx}'))) {
    if (/\.contract\.ts$|[\\/]contract[\\/]/.test(file)) continue
    const lines = readFileSync(file, 'utf8').split('\n').length
    assert.ok(lines <= 500, `${relative(ROOT, file)} has ${lines} lines`)
  }
})

/** The fields of an entry in package-lock.json that this test reads. */
interface LockedPackage {
  resolved?: string
  link?: boolean
  optionalDependencies?: Record<string, string>
}

const PATH = new URL('../../../package-lock.json', import.meta.url)
const LOCKED: Record<string, LockedPackage> = JSON.parse(readFileSync(PATH, 'utf8')).packages

/** Finds the entry that Node resolves a dependency of the package at `path` to: the nearest folder wins. */
function findEntry(path: string, name: string): LockedPackage | undefined {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const entry = LOCKED[folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`]
    if (entry !== undefined || folder === '') return entry
  }
}

test('the lock file has an entry for every optional dependency, so that every platform gets its packages', () => {
  const missing = Object.entries(LOCKED).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => findEntry(path, name) === undefined)
      .map((name) => `${name}, an optional dependency of ${path}`),
  )
  assert.deepEqual(missing, [])
})

test('the lock file contains no download URLs', () => {
  const located = Object.entries(LOCKED)
    .filter(([, { resolved, link }]) => resolved !== undefined && link !== true)
    .map(([path]) => path)
  assert.deepEqual(located, [])
})

test('overrides of scoped packages have no version, because npm 10 ignores those with one and then rejects the lock file', () => {
  const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  const overridden = Object.keys(JSON.parse(manifest).overrides)
  assert.deepEqual(
    overridden.filter((name) => /^@.+@/.test(name)),
    [],
  )
})
