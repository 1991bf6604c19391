import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { folder } from '@stowage/dashboard'
import { buildDashboard } from '@stowage/testing/browser/build-dashboard'

const MOST_SCRIPT = 250_000

test('all of the script together has less than 250 kB, compressed', async (t) => {
  await buildDashboard()
  const dist = fileURLToPath(folder)
  const scripts = globSync('app/*.js', { cwd: dist })
  assert.ok(scripts.length > 1)
  let size = 0
  for (const script of scripts) size += gzipSync(await readFile(join(dist, script))).length
  t.diagnostic(`${size} bytes`)
  assert.ok(size < MOST_SCRIPT, `${size} bytes`)
})
