import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemory } from './lru-cache.ts'

/** Whatever an entry takes beside its value, this is a hundred times as much. */
const LARGE = 30_000

function aMemory(values: number) {
  return openMemory<number>({
    mostBytes: (values + 0.5) * LARGE,
    bytesOf: (count) => count * LARGE,
  })
}

test('what was asked for longest ago is forgotten when all takes too much', () => {
  const memory = aMemory(5)
  memory.keep('a', 2)
  memory.keep('b', 2)
  memory.find('a')
  memory.keep('c', 2)
  assert.deepEqual(['a', 'b', 'c'].map(memory.find), [2, undefined, 2])
  memory.keep('c', 1)
  memory.keep('d', 2)
  assert.deepEqual(['a', 'c', 'd'].map(memory.find), [2, 1, 2])
})

test('what takes too much by itself is not kept', () => {
  const memory = aMemory(5)
  memory.keep('a', 6)
  assert.equal(memory.find('a'), undefined)
})

test('keys count too: many long ones with empty values are forgotten', () => {
  const memory = aMemory(5)
  const keys = Array.from({ length: 100 }, (_, index) => `${index} ${'x'.repeat(9000)}`)
  for (const key of keys) memory.keep(key, 0)
  const kept = keys.filter((key) => memory.find(key) !== undefined)
  assert.ok(kept.length > 0 && kept.length * 9000 < 5.5 * LARGE, `${kept.length} kept`)
})
