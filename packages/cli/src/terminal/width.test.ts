import assert from 'node:assert/strict'
import { test } from 'node:test'
import { padEnd, padStart, truncate, widthOf } from './width.ts'

test('each script has the width that terminals give it', () => {
  const expected: [string, number][] = [
    ['', 0],
    ['plain.zip', 9],
    ['Übung', 5],
    ['U\u0308bung', 5],
    ['サンプル', 8],
    ['ﾊﾝｶｸ', 4],
    ['한글', 4],
    ['한글'.normalize('NFD'), 4],
    ['中文.txt', 8],
    ['𠮷野家', 6],
    ['שלום', 4],
    ['हिन्दी', 4],
    ['தமிழ்', 4],
    ['ﾊﾟﾋﾟ', 4],
    ['☰', 2],
    ['㉈', 1],
    ['👍', 2],
    ['👩‍👩‍👧', 2],
    ['🇨🇭', 2],
    ['☕', 2],
    ['❤️', 2],
    ['1️⃣', 2],
    ['©', 1],
    ['a\u200bb', 2],
    ['ＦＵＬＬ', 8],
  ]
  for (const [text, width] of expected) assert.equal(widthOf(text), width, JSON.stringify(text))
})

test('the middle of a long name is removed, and its extension kept', () => {
  assert.equal(truncate('short.zip', 9), 'short.zip')
  assert.equal(truncate('a-very-long-name-indeed.zip', 16), 'a-very-lon…d.zip')
  assert.equal(truncate('abcdef', 1), '…')
  assert.equal(truncate('abcdef', 0), '')
})

test('truncated text always fits, and no grapheme is split', () => {
  const names = [
    'サンプルパック集.wav',
    '👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧.png',
    'e\u0301e\u0301e\u0301e\u0301e\u0301',
    '한글한글한글.zip',
  ]
  for (const name of names) {
    for (let width = 0; width <= 20; width += 1) {
      const short = truncate(name, width)
      assert.ok(widthOf(short) <= width, `${short} in ${width}`)
      assert.doesNotMatch(short, /^[\u0301\u200d]|…[\u0301\u200d]|\u200d…/)
    }
  }
})

test('padding counts columns, not characters', () => {
  assert.equal(padEnd('中', 4), '中  ')
  assert.equal(padStart('中', 4), '  中')
  assert.equal(padEnd('too long', 3), 'too long')
})
