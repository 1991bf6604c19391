import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { aFolder } from '../src/machine/clean-up.ts'

const STAGES = new URL('../src/stages/', import.meta.url)
const UNTRACKED = ['--import', new URL('untracked-promises.ts', STAGES).href]
const RUN_FILES = fileURLToPath(new URL('run-files.ts', STAGES))

/** Both errors occur while the test still waits. */
const TEST = `
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
test('leaves errors uncaught', async () => {
  setTimeout(() => { throw new Error('thrown') })
  void Promise.reject(new Error('rejected'))
  await pause(50)
})`

const RUNNERS = { 'a shared process': 'shared', 'its own process': 'own' }

for (const [where, mode] of Object.entries(RUNNERS)) {
  test(`an uncaught error of a test in ${where} is printed and fails the run`, async (t) => {
    const file = join(await aFolder(t), 'uncaught.test.mjs')
    await writeFile(file, TEST)
    const { code, output } = await runNode([...UNTRACKED, RUN_FILES, mode, '10000', file])
    assert.equal(code, 1)
    assert.match(output, /Uncaught error in a test: Error: thrown\n\s+at /)
    assert.match(output, /Uncaught error in a test: Error: rejected\n\s+at /)
  })
}

function runNode(words: string[]): Promise<{ code: unknown; output: string }> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return new Promise((resolve) => {
    execFile(process.execPath, words, { env }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, output: stdout + stderr })
    })
  })
}

test('a failed test that uses PostgreSQL fails the process that it shares with other tests', () => {
  const file = fileURLToPath(new URL('./fails-with-postgres.ts', import.meta.url))
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--test', '--test-isolation=none', file],
    { encoding: 'utf8', env },
  )
  assert.match(stdout, /fails on purpose/)
  assert.equal(status, 1, stdout)
})
