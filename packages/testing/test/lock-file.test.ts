import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

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
