import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchParts } from './match-parts.ts'
import { partPlan } from './parts.ts'

const PLAN = partPlan(25, 10)
const RECEIVED = [
  { number: 1, etag: 'a', size: 10 },
  { number: 2, etag: 'b', size: 10 },
  { number: 3, etag: 'c', size: 5 },
]

test('parts that the caller omits are taken from the storage', () => {
  const { parts, problems } = matchParts(PLAN, RECEIVED, [{ number: 2, etag: '"b"' }])
  assert.deepEqual(problems, [])
  assert.deepEqual(
    parts.map(({ etag }) => etag),
    ['a', 'b', 'c'],
  )
})

test('each problem begins with the numbers of its parts', () => {
  const named = [
    { number: 1, etag: 'a' },
    { number: 1, etag: 'a' },
    { number: 2, etag: 'x' },
    { number: 4, etag: 'd' },
  ]
  const { problems } = matchParts(PLAN, RECEIVED.slice(0, 2), named)
  assert.deepEqual(
    problems.map((problem) => problem.split(' ')[0]),
    ['3', '2', '1', '4'],
  )
})

test('a part with the wrong length counts as missing', () => {
  const short = RECEIVED.map((part) => (part.number === 2 ? { ...part, size: 9 } : part))
  assert.match(matchParts(PLAN, short, []).problems.join(), /^2 not received/)
})

test('a problem lists twenty parts and counts the rest', () => {
  const { problems } = matchParts(partPlan(100, 1), [], [])
  assert.match(problems.join(), /1, 2, .* 20 and 80 more not received/)
})
