import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { folder } from '@stowage/dashboard'
import { buildDashboard } from '@stowage/testing/browser/build-dashboard'

const MAX_BYTES = 260_000

test('all scripts together are smaller than 260 kB after compression', async (t) => {
  await buildDashboard()
  const dist = fileURLToPath(folder)
  const scripts = globSync('app/*.js', { cwd: dist })
  assert.ok(scripts.length > 1)
  let size = 0
  for (const script of scripts) size += gzipSync(await readFile(join(dist, script))).length
  t.diagnostic(`${size} bytes`)
  assert.ok(size < MAX_BYTES, `${size} bytes`)
})
