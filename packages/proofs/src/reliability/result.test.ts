import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { PAGE, readResults, renderPage } from './result.ts'

test('docs/reliability.md shows the stored results of the test programs', async () => {
  const page = await readFile(PAGE, 'utf8')
  const results = await readResults()
  assert.ok(results.size > 0)
  assert.equal(page, renderPage(page, results))
})
