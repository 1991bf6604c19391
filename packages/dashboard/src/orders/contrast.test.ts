import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contrastToPage, DEFAULT_COLOR, MIN_CONTROL_CONTRAST, textOn } from './contrast.ts'

test('the text on a button is black or white, whichever is easier to read', () => {
  assert.deepEqual(textOn('#000000'), { color: '#ffffff', contrast: 21 })
  assert.deepEqual(textOn('#ffff00').color, '#000000')
  assert.ok(textOn('#777777').contrast >= 4.5)
})

test('a light color has too little contrast to the page, and the default color has enough', () => {
  assert.ok(contrastToPage('#ffff00') < MIN_CONTROL_CONTRAST)
  assert.ok(contrastToPage(DEFAULT_COLOR) > 4.5)
})
