import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemory } from './memory.ts'

test('what was asked for longest ago is forgotten when all weighs too much', () => {
  const memory = openMemory<string>({ most: 5, weightOf: (value) => value.length })
  memory.keep('a', 'xx')
  memory.keep('b', 'xx')
  memory.find('a')
  memory.keep('c', 'xx')
  assert.deepEqual(['a', 'b', 'c'].map(memory.find), ['xx', undefined, 'xx'])
  memory.keep('c', 'x')
  memory.keep('d', 'xx')
  assert.deepEqual(['a', 'c', 'd'].map(memory.find), ['xx', 'x', 'xx'])
})

test('what weighs too much by itself is not kept', () => {
  const memory = openMemory<string>({ most: 5, weightOf: (value) => value.length })
  memory.keep('a', 'xxxxxx')
  assert.equal(memory.find('a'), undefined)
})
