import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { PAGE, readResults, renderPage } from './result.ts'

test('docs/reliability/results.md shows the stored results, and docs/reliability.md links to each of them', async () => {
  const results = await readResults()
  assert.ok(results.size > 0)
  assert.equal(await readFile(PAGE, 'utf8'), renderPage(results))
  const description = await readFile(new URL('../reliability.md', PAGE), 'utf8')
  for (const name of results.keys()) {
    assert.ok(description.includes(`(reliability/results.md#${name})`), name)
  }
})
