import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairQueue } from './fair-queue.ts'

test('a party with many items does not delay those of another, and each keeps its order', () => {
  const queue = createFairQueue<string>()
  for (const item of ['a1', 'a2', 'a3']) queue.add('a', item)
  queue.add('b', 'b1')
  assert.deepEqual([queue.size, queue.count('a'), queue.count('c')], [2, 3, 0])
  assert.equal(queue.takeNext(), 'a1')
  assert.equal(queue.takeNext(), 'b1')
  queue.putBack('b', 'b1')
  assert.equal(queue.takeNext(), 'a2')
  assert.equal(queue.takeNext(), 'b1')
  queue.remove((item) => item === 'a3')
  assert.deepEqual([queue.takeNext(), queue.size], [undefined, 0])
})
