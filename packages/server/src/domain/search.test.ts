import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { foldText, hasWords, searchWords, sortName, trigrams } from './search.ts'

test('texts that differ only in case fold to the same text, in any script', () => {
  const pairs: [string, string][] = [
    ['README', 'readme'],
    ['STRASSE', 'straße'],
    ['STRAẞE', 'strasse'],
    ['ΟΔΟΣ', 'οδος'],
    ['οδός', 'ΟΔΌΣ'],
    ['ЁЖИК', 'ёжик'],
    ['ÇELIK', 'çelik'],
    ['ﬁle', 'FILE'],
    ['ＦＵＬＬ', 'full'],
  ]
  for (const [one, other] of pairs) assert.equal(foldText(one), foldText(other))
})

test('composed and decomposed accents fold to the same text', () => {
  assert.equal(foldText('Crème Brûlée'.normalize('NFD')), foldText('CRÈME BRÛLÉE'))
})

test('folding is idempotent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      assert.equal(foldText(foldText(text)), foldText(text))
    }),
  )
})

test('every character folds to the same text as its other case', () => {
  for (let point = 0; point <= 0x10_ffff; point += 1) {
    const character = String.fromCodePoint(point)
    const folded = foldText(character)
    for (const same of [character.toUpperCase(), character.toLowerCase(), folded]) {
      if (same !== character && foldText(same) !== folded)
        assert.fail(`U+${point.toString(16)} ${character}`)
    }
  }
})

test('trigrams count characters, not UTF-16 units', () => {
  assert.deepEqual(trigrams('a😀b'), ['a😀b'])
  assert.deepEqual(trigrams('日本'), [])
  assert.deepEqual(trigrams('aaaa'), ['aaa'])
})

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

test('names are sorted by their numbers, and otherwise by their folded text', () => {
  const sorted = [
    'Track',
    'track 1.wav',
    'TRACK 2.wav',
    'track 10 b.wav',
    'track 10 c 9',
    'track 10 c 10',
    'track 99999999.wav',
    'track 100000000.wav',
    'track 12345678901234567890.wav',
    'track-1',
    'tracks',
  ]
  const keys = sorted.map(sortName)
  assert.deepEqual(keys.toSorted(), keys)
  assert.equal(sortName('file 007'), sortName('FILE 7'))
  assert.notEqual(sortName('file 0'), sortName('file '))
})

test('names that differ only in one number are sorted by the value of that number', () => {
  const number = fc.bigInt({ min: 0n, max: 10n ** 40n })
  fc.assert(
    fc.property(number, number, (one, other) => {
      const [a, b] = [sortName(`a ${one}.zip`), sortName(`a ${other}.zip`)]
      assert.equal(a < b, one < other)
      assert.equal(a === b, one === other)
    }),
  )
})
