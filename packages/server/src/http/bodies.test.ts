import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isDeeperThan } from './bodies.ts'

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

test('the depth is correct for any JSON, whatever its strings contain', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ']') }))
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 6 }, text, tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 3 }),
    object: fc.dictionary(text, tie('value'), { maxKeys: 3 }),
  }))
  fc.assert(
    fc.property(value, (json) => {
      const bytes = Buffer.from(JSON.stringify(json))
      const depth = depthOf(json)
      assert.equal(isDeeperThan(depth, bytes), false)
      if (depth > 0) assert.equal(isDeeperThan(depth - 1, bytes), true)
    }),
  )
})

test('text that is not JSON does not throw', () => {
  for (const text of ['', '"', '"\\', ']]]]', '{"a', '\\"[']) {
    assert.equal(isDeeperThan(3, Buffer.from(text)), false)
  }
  assert.equal(isDeeperThan(3, Buffer.from('[[[[')), true)
})
