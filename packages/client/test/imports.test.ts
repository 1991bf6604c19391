import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const source = fileURLToPath(new URL('../src', import.meta.url))
const files = globSync(join(source, '**/*.ts')).filter((file) => !file.endsWith('.test.ts'))

/** Returns every import and re-export, and whether it imports only types. */
function importsOf(file: string) {
  const text = readFileSync(file, 'utf8')
  const matches = text.matchAll(/(?:import|export)(\s+type)?\s[^'"]*?from '([^']+)'/g)
  return [...matches].map(([, type, name = '']) => ({ isType: type !== undefined, name }))
}

test('only types are imported from other packages, and Node modules only in node/', () => {
  assert.ok(files.length > 20)
  for (const file of files) {
    const isForNode = relative(source, file).startsWith('node/')
    for (const { isType, name } of importsOf(file)) {
      const where = `${relative(source, file)} imports ${name}`
      if (name.startsWith('node:')) assert.ok(isForNode, where)
      else if (!name.startsWith('.')) assert.ok(isType && name === '@stowage/protocol', where)
      else if (!isForNode) {
        const target = relative(source, join(dirname(file), name))
        assert.ok(!target.startsWith('node/') && !target.startsWith('..'), where)
      }
    }
  }
})
