import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { LONGEST } from '../src/stages/run-tests.ts'
import { ENGINES, findTestFiles, selectTestFiles } from '../src/stages/test-files.ts'
import { ROOT } from './imports-of.ts'

const { scripts }: { scripts: Record<string, string> } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
)
const files = findTestFiles(['packages/*/{src,test}'], ROOT)

/** The stages of `npm test`, of `npm run test:proofs`, and the one that only the nightly run has. */
const stages = [...`${scripts.test} ${scripts['test:proofs']} proofs:swift`.matchAll(/\w+:[\w-]+/g)]

/** Each file with each kind of engines that the stages run it on. */
function pairsOfStages(): string[] {
  const pairs = stages.flatMap(([stage]) => {
    const [, engines, folders] = /on-engines\.ts (\S+) (.+)/.exec(scripts[stage] ?? '') ?? []
    if (engines === undefined || folders === undefined) return []
    const patterns = folders.split(' ').map((folder) => folder.replaceAll('"', ''))
    return selectTestFiles(engines, patterns, ROOT).map(({ path }) => `${path} on ${engines}`)
  })
  return pairs.toSorted()
}

test('every test file runs once in a stage on each of its engines', () => {
  const expected = files.flatMap(({ path, engines }) => engines.map((one) => `${path} on ${one}`))
  // `proofs:image` starts its tests in a namespace of their own.
  const isOfImage = (pair: string) => pair.startsWith('packages/proofs/src/image/')
  assert.ok(expected.length > 300, `${expected.length} pairs`)
  assert.deepEqual(pairsOfStages(), expected.filter((pair) => !isOfImage(pair)).toSorted())
})

test('a line that says how a test file runs can be read', () => {
  for (const { path, engines } of files) {
    for (const one of engines) {
      assert.ok([...ENGINES, 'image'].includes(one), `${path} runs on ${one}`)
    }
    const lines = readFileSync(join(ROOT, path), 'utf8').split('\n')
    for (const line of lines.filter((one) => /^\/[/*] *runs (on|in|alone)\b/i.test(one))) {
      assert.match(
        line,
        /^\/\* Runs (on [\w+-]+(( and|,) [\w+-]+)*|in its own process: .+|alone: .+|in a shared browser)\. \*\/$/,
        path,
      )
    }
  }
})

test('the files that start first exist, and have their own process', () => {
  for (const path of LONGEST) {
    assert.equal(files.find((file) => file.path === path)?.process, 'own', path)
  }
})
