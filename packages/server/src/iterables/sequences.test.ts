import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeByKey } from './sequences.ts'

async function* each(text: string): AsyncIterable<string> {
  yield* text
}

async function merged(left: string, right: string): Promise<string[]> {
  const same = (item: string) => item
  const pairs = mergeByKey(each(left), each(right), { left: same, right: same })
  const all = await Array.fromAsync(pairs)
  return all.map((pair) => `${pair.key}${pair.left ? '<' : ''}${pair.right ? '>' : ''}`)
}

test('two sorted sequences are merged by key', async () => {
  assert.deepEqual(await merged('acd', 'bce'), ['a<', 'b>', 'c<>', 'd<', 'e>'])
  assert.deepEqual(await merged('abc', ''), ['a<', 'b<', 'c<'])
  assert.deepEqual(await merged('', 'ab'), ['a>', 'b>'])
  assert.deepEqual(await merged('ab', 'ab'), ['a<>', 'b<>'])
  assert.deepEqual(await merged('', ''), [])
})
