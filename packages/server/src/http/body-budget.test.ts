import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '../domain/errors.ts'
import { openBodyBudget } from './body-budget.ts'

const KIB = 1024
const LIMITS = { caller: 400 * KIB, account: 800 * KIB, instance: 1600 * KIB }
const NEVER = 2 ** 31 - 1

function sender(accountId: string, callerId = `key of ${accountId}`) {
  return { accountId, callerId }
}

function refusedWith(code: string) {
  return (error: unknown) => error instanceof ServiceError && error.code === code
}

test('large bodies leave a quarter of each limit to small ones', async () => {
  const budget = openBodyBudget({ limits: LIMITS, waitMs: 0 })
  await budget.lease(sender('a'), 300 * KIB)
  await assert.rejects(budget.lease(sender('a'), 65 * KIB), refusedWith('too_many_requests'))
  await budget.lease(sender('a'), 64 * KIB)
  await budget.lease(sender('a'), 36 * KIB)
  await assert.rejects(budget.lease(sender('a'), 1), refusedWith('too_many_requests'))
})

test('the limits of a caller, an account and the instance apply together', async () => {
  const budget = openBodyBudget({ limits: LIMITS, waitMs: 0 })
  for (const account of ['a', 'b']) {
    for (const key of ['1', '2']) await budget.lease(sender(account, account + key), 300 * KIB)
  }
  await assert.rejects(budget.lease(sender('a', 'a3'), 100 * KIB), refusedWith('too_many_requests'))
  await assert.rejects(budget.lease(sender('c'), 100 * KIB), refusedWith('overloaded'))
  const small = await budget.lease(sender('c'), 64 * KIB)
  await assert.rejects(small.grow(1), refusedWith('overloaded'))
})

test('accounts that hold large bodies keep out neither an account with few of them nor small bodies', async () => {
  const limits = { caller: 3200 * KIB, account: 3200 * KIB, instance: 6400 * KIB }
  const budget = openBodyBudget({ limits, waitMs: 0 })
  for (const account of ['a', 'b']) await budget.lease(sender(account), 2400 * KIB)
  await assert.rejects(budget.lease(sender('c'), 201 * KIB), refusedWith('overloaded'))
  for (const account of ['c', 'd', 'e', 'f']) {
    await budget.lease(sender(account), 200 * KIB)
    await assert.rejects(budget.lease(sender(account), 65 * KIB), refusedWith('overloaded'))
  }
  await assert.rejects(budget.lease(sender('g'), 65 * KIB), refusedWith('overloaded'))
  await budget.lease(sender('g'), 64 * KIB)
})

test('a body waits until others have ended, and those that do not fit yet keep nobody waiting', async () => {
  const budget = openBodyBudget({ limits: LIMITS, waitMs: NEVER })
  const first = await budget.lease(sender('a'), 200 * KIB)
  const second = await budget.lease(sender('a'), 100 * KIB)
  const order: string[] = []
  const large = budget.lease(sender('a'), 300 * KIB).then(() => order.push('large'))
  const small = budget.lease(sender('a'), 100 * KIB).then((lease) => {
    order.push('small')
    lease.release()
  })
  second.release()
  await small
  first.release()
  await large
  assert.deepEqual(order, ['small', 'large'])
})

test('releasing a body twice, or before it grows, does not change the count', async () => {
  const budget = openBodyBudget({ limits: LIMITS, waitMs: 0 })
  const [one, other] = [await budget.lease(sender('a'), 10), await budget.lease(sender('b'), 20)]
  one.release()
  one.release()
  await one.grow(5)
  assert.equal(budget.used(), 20)
  other.release()
  assert.equal(budget.used(), 0)
})

test('a limited number of bodies of an account waits, and the others are refused immediately', async () => {
  const budget = openBodyBudget({ limits: LIMITS, waitMs: NEVER })
  const held = await budget.lease(sender('a'), 300 * KIB)
  const waiting = Array.from({ length: 100 }, async () => {
    const lease = await budget.lease(sender('a'), 100 * KIB)
    lease.release()
  })
  await assert.rejects(budget.lease(sender('a'), 100 * KIB), refusedWith('too_many_requests'))
  await budget.lease(sender('b'), 100 * KIB)
  held.release()
  await Promise.all(waiting)
  assert.equal(budget.used(), 100 * KIB)
})
