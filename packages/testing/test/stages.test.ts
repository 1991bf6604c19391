import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from './imports-of.ts'

test('every test file runs in a stage of npm test', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const stages = Object.entries<string>(scripts).filter(([name]) =>
    /^test:(?!core|postgres-versions)/.test(name),
  )
  const patterns = stages.flatMap(([, command]) => command.match(/packages\/[^"\s]+\.test\.ts/g))
  const options = { cwd: ROOT }
  const run = new Set(
    globSync(
      patterns.filter((pattern) => pattern !== null),
      options,
    ),
  )
  const all = globSync('packages/*/{src,test}/**/*.test.ts', options)
  // `test:image` starts its tests in a namespace of their own.
  const isOfImage = (file: string) => file.includes(join('proofs', 'src', 'image'))
  assert.deepEqual(
    all.filter((file) => !run.has(file) && !isOfImage(file)),
    [],
  )
})
