import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Asset } from './asset.ts'
import { cursorText, pagePosition, readCursor, rowRangeOf } from './paging.ts'

test('an empty listing has one page, from 0 to 0', () => {
  const position = pagePosition({ page: 1, perPage: 25 }, 0)
  assert.deepEqual(
    { from: position.from, to: position.to, lastPage: position.lastPage, window: position.window },
    { from: 0, to: 0, lastPage: 1, window: [1] },
  )
})

test('a page after the last one links back to the last one', () => {
  const position = pagePosition({ page: 9, perPage: 10 }, 25)
  assert.deepEqual(
    [position.previous, position.next, position.from, position.to],
    [3, undefined, 0, 0],
  )
})

test('with many pages, the window has the first, the last and the adjacent pages', () => {
  const { window } = pagePosition({ page: 500, perPage: 1 }, 1000)
  assert.deepEqual(window, [1, 495, 496, 497, 498, 499, 500, 501, 502, 503, 504, 505, 1000])
})

test('in any listing, the pages together have every row once', () => {
  const listings = fc.record({ total: fc.nat(300), perPage: fc.integer({ min: 1, max: 40 }) })
  fc.assert(
    fc.property(listings, ({ total, perPage }) => {
      let seen = 0
      let page: number | undefined = 1
      while (page !== undefined) {
        const position = pagePosition({ page, perPage }, total)
        if (total > 0) {
          assert.equal(position.from, seen + 1)
          seen = position.to
        }
        assert.ok(position.window.length <= 13)
        assert.ok(position.window.includes(page))
        assert.equal(new Set(position.window).size, position.window.length)
        page = position.next
      }
      assert.equal(seen, total)
    }),
  )
})

test('a page is read from the nearer end, and has the same rows from either end', () => {
  fc.assert(
    fc.property(
      fc.nat(60),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 30 }),
      (total, perPage, page) => {
        const rows = Array.from({ length: total }, (_, index) => index)
        const { isFromEnd, offset, limit } = rowRangeOf({ page, perPage }, total)
        const read = (isFromEnd ? rows.toReversed() : rows).slice(offset, offset + limit)
        const start = (page - 1) * perPage
        assert.deepEqual(isFromEnd ? read.toReversed() : read, rows.slice(start, start + perPage))
        if (limit > 0) assert.ok(offset <= total / 2)
      },
    ),
  )
})

const ID = '01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f'
const asset = { id: ID, filename: 'Straße 本.zip', bytes: 42 } as Asset

test('a cursor has the ID and the value of the sort key, and is parsed with the same sort key', () => {
  assert.equal(cursorText(asset, 'created_at'), ID)
  assert.deepEqual(readCursor(cursorText(asset, 'created_at'), 'created_at'), { id: ID })
  const name = { id: ID, value: 'strasse 本.zip' }
  assert.deepEqual(readCursor(cursorText(asset, 'filename'), 'filename'), name)
  assert.deepEqual(readCursor(cursorText(asset, 'bytes'), 'bytes'), { id: ID, value: 42 })
  assert.deepEqual(readCursor(ID.toUpperCase(), 'created_at'), { id: ID })
})

test('a cursor of another sort key and any other text are invalid', () => {
  const wrong: [string, 'created_at' | 'filename' | 'bytes'][] = [
    ['', 'created_at'],
    ['x', 'created_at'],
    [`${ID}.42`, 'created_at'],
    [`${ID}x`, 'created_at'],
    [ID, 'filename'],
    [ID, 'bytes'],
    [`${ID}.QQA`, 'filename'],
    [`${ID}.1e3`, 'bytes'],
    [`${ID}.9007199254740993`, 'bytes'],
    [`${ID}.${'9'.repeat(400)}`, 'bytes'],
  ]
  for (const [text, by] of wrong) assert.equal(readCursor(text, by), undefined, `${text} ${by}`)
})
