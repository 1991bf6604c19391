import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY_TALLY, type Tally } from './block-counts.ts'
import { openTallies } from './counts-cache.ts'

function aTally(revision: number): Tally {
  return { revision, block: 'f', matching: new Map([['', 1]]), total: 1 }
}

test('of two that counted at once, the one that got further is kept', () => {
  const tallies = openTallies()
  tallies.keep('a', 'x', aTally(2))
  tallies.keep('a', 'x', aTally(1))
  assert.equal(tallies.find('a', 'x').revision, 2)
  tallies.keep('a', 'x', aTally(3))
  assert.equal(tallies.find('a', 'x').revision, 3)
  assert.equal(tallies.find('b', 'x'), EMPTY_TALLY)
})

test('a count that fails is made anew by who asks next', async () => {
  const tallies = openTallies()
  const fail = () => Promise.reject(new Error('away'))
  await assert.rejects(tallies.countOnce('a', 'x', fail), /away/)
  let counts = 0
  const count = async () => {
    counts += 1
  }
  await Promise.all([tallies.countOnce('a', 'x', count), tallies.countOnce('a', 'x', count)])
  assert.equal(counts, 1)
})
