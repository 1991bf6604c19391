import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { clientApiPage } from './client-api.ts'
import { ROOT } from './staging.ts'

test('docs/client-api.md is up to date', async () => {
  const page = await readFile(join(ROOT, 'docs/client-api.md'), 'utf8')
  assert.equal(page, await clientApiPage(), 'run npm run docs')
})

test('the page shows every entry, and every option and method with its description', async () => {
  const page = await clientApiPage()
  for (const entry of ['', '/node', '/products-file', '/uppy']) {
    assert.match(page, new RegExp(`^## @stowage/client${entry}$`, 'm'))
  }
  assert.doesNotMatch(page, /internal/)
  assert.match(page, /^- `stallMs\?: number`: A part .+ is aborted and retried/m)
  assert.match(
    page,
    /^- `upload\(file: Input, options\?: UploadOptions\): Upload`: Uploads a file/m,
  )
})
