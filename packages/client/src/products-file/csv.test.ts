import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readCsv } from './csv.ts'

const rows = (text: string) => [...readCsv(text)].map(({ fields }) => fields)

test('fields are separated by commas, and records by any line end', () => {
  for (const end of ['\n', '\r\n', '\r']) {
    assert.deepEqual(rows(`a,b${end}1,2${end}`), [
      ['a', 'b'],
      ['1', '2'],
    ])
  }
})

test('the last record needs no line end, and an empty field at its end is kept', () => {
  assert.deepEqual(rows('a,b\n1,'), [
    ['a', 'b'],
    ['1', ''],
  ])
})

test('a quoted field can contain separators, line ends and doubled quotes', () => {
  assert.deepEqual(rows('"a,b","say ""hi""","two\r\nlines",""\n'), [
    ['a,b', 'say "hi"', 'two\r\nlines', ''],
  ])
})

test('semicolons or tabs separate fields if the header uses them', () => {
  assert.deepEqual(rows('a;b\n1,5;2'), [
    ['a', 'b'],
    ['1,5', '2'],
  ])
  assert.deepEqual(rows('a\tb\n1\t2'), [
    ['a', 'b'],
    ['1', '2'],
  ])
})

test('each record has the line where it starts, even after empty lines and fields with line breaks', () => {
  const text = 'h\r\n"1\r\n2\r\n3"\r\n\r\nlast\r\n'
  assert.deepEqual(
    [...readCsv(text)].map(({ line }) => line),
    [1, 2, 6],
  )
})

test('an unclosed quote is reported with the line where its record starts', () => {
  const [, record] = [...readCsv('a,b\nx,"never\nclosed\n')]
  assert.equal(record?.line, 2)
  assert.match(record?.problem ?? '', /never closed/)
})

test('text after a closing quote is reported, and the following records are read', () => {
  const [bad, good] = [...readCsv('"a" b,c\nd,e')]
  assert.match(bad?.problem ?? '', /after a closing quote/)
  assert.deepEqual(good, { line: 2, fields: ['d', 'e'] })
})

test('a quote in the middle of a field is an ordinary character', () => {
  assert.deepEqual(rows('12" vinyl,x'), [['12" vinyl', 'x']])
})

test('any valid CSV is read back unchanged', () => {
  const letters = fc.constantFrom('a', '"', ',', '\n', '\r\n', ' ', 'é', '😀', '')
  const field = fc.array(letters, { maxLength: 6 }).map((parts) => parts.join(''))
  const table = fc.array(fc.tuple(field, field, field), { minLength: 1, maxLength: 6 })
  const quote = (value: string) => `"${value.replaceAll('"', '""')}"`
  fc.assert(
    fc.property(table, (records) => {
      const text = [['x', 'y', 'z'], ...records].map((row) => row.map(quote).join(',')).join('\r\n')
      const filled = records.filter((row) => row.some((value) => value !== ''))
      assert.deepEqual(rows(text), [['x', 'y', 'z'], ...filled])
    }),
  )
})
