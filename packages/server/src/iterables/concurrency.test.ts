import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  forEachLimited,
  limitConcurrency,
  settleAll,
  stopAfterFailure,
  takeTurns,
} from './concurrency.ts'

test('at most three tasks run at the same time, and all of them end', async () => {
  const run = limitConcurrency(3)
  let running = 0
  let highest = 0
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      run(async () => {
        running += 1
        highest = Math.max(highest, running)
        await nextTurn()
        running -= 1
        if (index % 4 === 0) throw new Error('one fails')
        return index
      }),
    ),
  )
  assert.equal(highest, 3)
  assert.equal(running, 0)
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 5)
})

test('groups take turns, each with one task at a time, also after a failure', async () => {
  const inTurn = takeTurns(2)
  const order: string[] = []
  let highest = 0
  const running: string[] = []
  async function task(group: string): Promise<void> {
    order.push(group)
    running.push(group)
    assert.equal(new Set(running).size, running.length)
    highest = Math.max(highest, running.length)
    await nextTurn()
    running.splice(running.indexOf(group), 1)
    if (group === 'b') throw new Error('b fails')
  }
  const groups = [...'aaaaaaaa', 'b', 'c', 'b']
  const results = await Promise.allSettled(groups.map((group) => inTurn(group, () => task(group))))
  assert.deepEqual([highest, running.length], [2, 0])
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 2)
  // The tasks of the other groups do not wait for all tasks of the first group.
  assert.deepEqual(order.slice(0, 5).toSorted(), ['a', 'a', 'b', 'b', 'c'])
})

test('after a fatal failure no further task starts, and each of them names the failure as its cause', async () => {
  const run = stopAfterFailure(limitConcurrency(1), (error) => error === 'fatal')
  const fail = (reason: string) => run(() => Promise.reject(reason))
  await assert.rejects(fail('harmless'), (error) => error === 'harmless')
  assert.equal(await run(async () => 1), 1)
  const first = fail('fatal')
  const later = [run(async () => 2), fail('later')]
  await assert.rejects(settleAll([...later, first]), (error) => error === 'fatal')
  await assert.rejects(settleAll(later), { name: 'NotStarted', cause: 'fatal' })
})

const NEVER = new AbortController().signal

async function* numbers(count: number): AsyncIterable<number> {
  for (let number = 1; number <= count; number += 1) yield number
}

for (const [kind, items] of [
  ['a list', Array.from({ length: 20 }, (_, index) => index + 1)],
  ['an asynchronous sequence', numbers(20)],
] as const) {
  test(`every item of ${kind} is processed once, never more than the limit at a time`, async () => {
    const seen: number[] = []
    let running = 0
    let most = 0
    await forEachLimited(items, { limit: 3, signal: NEVER }, async (number) => {
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
}

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
