import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { foldText, trigrams } from './search-text.ts'

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
