import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { partPlan, partRange, partRanges } from '../domain/parts.ts'
import { readRange } from './copy-object.ts'

test('an object is read completely in ranges of any size, whatever its own part size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(60),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 20 }),
      async (size, oldChunk, newChunk) => {
        const bytes = Uint8Array.from({ length: size }, (_, index) => index)
        const plan = partPlan(size, oldChunk)
        const contents = {
          async *readPart(_: unknown, number: number) {
            const { start, end } = partRange(plan, number)
            const middle = Math.floor((start + end) / 2)
            yield bytes.subarray(start, middle)
            yield bytes.subarray(middle, end)
          },
        }
        const pieces: Uint8Array[] = []
        for (const range of partRanges(partPlan(size, newChunk))) {
          const piece = Buffer.concat(
            await Array.fromAsync(readRange(contents, { key: 'k', plan }, range)),
          )
          assert.equal(piece.length, range.end - range.start)
          pieces.push(piece)
        }
        assert.deepEqual(new Uint8Array(Buffer.concat(pieces)), bytes)
      },
    ),
  )
})
