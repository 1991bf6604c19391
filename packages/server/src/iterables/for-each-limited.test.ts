import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { forEachLimited } from './for-each-limited.ts'

const NEVER = new AbortController().signal

async function* numbers(count: number): AsyncIterable<number> {
  for (let number = 1; number <= count; number += 1) yield number
}

test('every item is processed once, never more than the limit at a time', async () => {
  const seen: number[] = []
  let running = 0
  let most = 0
  await forEachLimited(numbers(20), { limit: 3, signal: NEVER }, async (number) => {
    running += 1
    most = Math.max(most, running)
    await nextTurn()
    seen.push(number)
    running -= 1
  })
  assert.equal(most, 3)
  assert.deepEqual(
    seen.toSorted((a, b) => a - b),
    await Array.fromAsync(numbers(20)),
  )
})

test('after an abort no further item is started, and running items are awaited', async () => {
  const stop = new AbortController()
  const done: number[] = []
  await forEachLimited(numbers(20), { limit: 2, signal: stop.signal }, async (number) => {
    if (number === 2) stop.abort()
    await nextTurn()
    done.push(number)
  })
  assert.deepEqual(done, [1, 2])
})

test('the first failure is thrown after all started items are done', async () => {
  const done: number[] = []
  const work = forEachLimited(numbers(20), { limit: 2, signal: NEVER }, async (number) => {
    if (number === 1) throw new Error('it fails')
    await nextTurn()
    done.push(number)
  })
  await assert.rejects(work, /it fails/)
  assert.deepEqual(done, [2])
})

test('a failure to list the items is thrown', async () => {
  async function* failing(): AsyncIterable<number> {
    yield 1
    throw new Error('no list')
  }
  await assert.rejects(
    forEachLimited(failing(), { limit: 4, signal: NEVER }, async () => {}),
    /no list/,
  )
})
