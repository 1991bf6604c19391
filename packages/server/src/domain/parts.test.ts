import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countReceived, matchParts, partLength, partPlan, partRanges, planParts } from './parts.ts'

const HUNDRED_MB = { chunkSize: 100_000_000, maxParts: 10_000 }

test('250 MB are three parts, the last one shorter', () => {
  const ranges = partRanges(planParts(250_000_000, HUNDRED_MB))
  assert.deepEqual(ranges, [
    { number: 1, start: 0, end: 100_000_000 },
    { number: 2, start: 100_000_000, end: 200_000_000 },
    { number: 3, start: 200_000_000, end: 250_000_000 },
  ])
})

test('an empty file has one empty part', () => {
  const ranges = partRanges(planParts(0, HUNDRED_MB))
  assert.deepEqual(ranges, [{ number: 1, start: 0, end: 0 }])
})

test('a file of exactly one or two chunks has no empty part', () => {
  assert.equal(planParts(100_000_000, HUNDRED_MB).count, 1)
  assert.equal(planParts(200_000_000, HUNDRED_MB).count, 2)
})

test('the chunk size grows only if the limit on parts requires it', () => {
  assert.equal(planParts(1_000_000_000_000, HUNDRED_MB).chunkSize, 100_000_000)
  assert.equal(planParts(1_000_000_000_001, HUNDRED_MB).chunkSize, 100_000_001)
})

test('for any size and limits, the parts cover the file exactly once and are within the limits', () => {
  const sizes = fc.oneof(fc.maxSafeNat(), fc.nat(1_000_000))
  const limits = fc.record({
    chunkSize: fc.integer({ min: 1, max: 5_000_000_000 }),
    maxParts: fc.integer({ min: 1, max: 1_000 }),
  })
  fc.assert(
    fc.property(sizes, limits, (size, limit) => {
      const plan = planParts(size, limit)
      const ranges = partRanges(plan)
      assert.ok(ranges.length >= 1 && ranges.length <= limit.maxParts)
      assert.equal(ranges[0]?.start, 0)
      assert.equal(ranges.at(-1)?.end, size)
      for (const [index, range] of ranges.entries()) {
        assert.equal(range.number, index + 1)
        const next = ranges[index + 1]
        if (next === undefined) continue
        assert.equal(next.start, range.end)
        assert.equal(partLength(range), plan.chunkSize)
      }
      const last = ranges.at(-1)
      assert.ok(last && partLength(last) <= plan.chunkSize)
      assert.ok(size === 0 || partLength(last) > 0)
      const isGrown = plan.chunkSize > limit.chunkSize
      assert.ok(!isGrown || size > limit.chunkSize * limit.maxParts)
    }),
  )
})

test('a remainder of one byte near 2^53 is not rounded away', () => {
  const size = Number.MAX_SAFE_INTEGER - (Number.MAX_SAFE_INTEGER % 10_000) - 9_999
  const plan = planParts(size, { chunkSize: 1, maxParts: 10_000 })
  assert.ok(plan.count <= 10_000)
  assert.equal(partRanges(plan).at(-1)?.end, size)
})

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

const UPLOAD = { asset: { bytes: 25 }, chunkSize: 10 }

test('parts count as received if their length fits the size of the file', () => {
  assert.deepEqual(countReceived(UPLOAD, []), { parts: 0, bytes: 0 })
  const stored = [
    { number: 1, size: 10 },
    { number: 2, size: 4 },
    { number: 3, size: 5 },
    { number: 4, size: 10 },
  ]
  assert.deepEqual(countReceived(UPLOAD, stored), { parts: 2, bytes: 15 })
  const empty = { asset: { bytes: 0 }, chunkSize: 10 }
  assert.deepEqual(countReceived(empty, [{ number: 1, size: 0 }]), { parts: 1, bytes: 0 })
})
