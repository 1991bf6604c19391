import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { foldText } from './search-text.ts'
import { hasWords, searchWords } from './search-words.ts'

test('a search has each word once, folded, without words that are part of other words', () => {
  const expected: [string, string[]][] = [
    ['', []],
    [' \t \u00a0\u3000 ', []],
    ['dusty  Pack', ['dusty', 'pack']],
    ['pack PACK packs', ['packs']],
    ['a pack', ['pack']],
    ['Straße ΟΔΟΣ', ['strasse', 'οδοσ']],
    ['100% _', ['100%', '_']],
    ['e\u0301te\u0301', ['été']],
    ['👩‍🚀 مرحبا', ['مرحبا', '👩‍🚀']],
  ]
  for (const [text, words] of expected) assert.deepEqual(searchWords(text), words, text)
})

test('a search with the words of a text, in any order, finds that text', () => {
  const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }), { maxLength: 6 })
  fc.assert(
    fc.property(texts, fc.nat(), (parts, seed) => {
      const shuffled = parts.toSorted((a, b) => ((a.length + seed) % 3) - ((b.length + seed) % 3))
      const words = searchWords(shuffled.join(' '))
      assert.ok(hasWords(parts.map(foldText).join(' '), words))
    }),
  )
})
