import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asset } from './asset.ts'
import { cursorText, readCursor } from './cursor.ts'

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
