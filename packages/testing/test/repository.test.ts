import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { ERRORS } from '@stowage/protocol'
import { ROOT } from './root.ts'

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
    if (file.endsWith('.contract.ts')) continue
    const lines = readFileSync(file, 'utf8').split('\n').length
    assert.ok(lines <= 500, `${relative(ROOT, file)} has ${lines} lines`)
  }
})
