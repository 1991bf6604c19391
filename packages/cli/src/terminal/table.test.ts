import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Column, table } from './table.ts'
import { widthOf } from './width.ts'

const HEAD: Column[] = [
  { head: 'ID', dropOrder: 2 },
  { head: 'NAME', minWidth: 8 },
  { head: 'SIZE', align: 'right' },
  { head: 'PRODUCTS', minWidth: 8, dropOrder: 3 },
]
const ID = '01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f'
const ROWS = [
  [
    ID,
    'サンプルパック集とても長い名前のファイル.wav',
    '1.5 GB',
    'PACK-WAV, PACK-FLAC, PACK-EVERYTHING',
  ],
  [ID, 'שלום עולם.zip', '999 B', ''],
  [ID, '\u001b[31mred\n\u202e.exe', '0 B', 'A'],
  [ID, '👩‍👩‍👧 family.png', '12 MB', '\u001b]0;title\u0007'],
]

test('without a maximum width, nothing is truncated', () => {
  assert.equal(
    table(
      ['A', 'B'],
      [
        ['1', 'x'],
        ['中文', 'y'],
      ],
    ),
    'A     B\n1     x\n中文  y',
  )
})

for (const columns of [40, 80, 200]) {
  test(`no line is wider than ${columns} columns, and each row is one line`, () => {
    const lines = table(HEAD, ROWS, { columns }).split('\n')
    assert.equal(lines.length, 1 + ROWS.length)
    for (const line of lines) assert.ok(widthOf(line) <= columns, `${widthOf(line)}: ${line}`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may occur
    assert.doesNotMatch(lines.join(''), /[\u0000-\u001f\u007f-\u009f\u202e]/)
  })
}

test('columns that do not fit are dropped in order, and the name is kept', () => {
  const heads = (columns: number) => table(HEAD, ROWS, { columns }).split('\n')[0]?.split(/ +/)
  assert.deepEqual(heads(200), ['ID', 'NAME', 'SIZE', 'PRODUCTS'])
  assert.deepEqual(heads(70), ['ID', 'NAME', 'SIZE', 'PRODUCTS'])
  assert.deepEqual(heads(60), ['ID', 'NAME', 'SIZE'])
  assert.deepEqual(heads(40), ['NAME', 'SIZE'])
})

test('right-to-left names are isolated only on a terminal', () => {
  assert.match(table(HEAD, ROWS, { columns: 80 }), /\u2068שלום/)
  assert.doesNotMatch(table(HEAD, ROWS), /\u2068/)
})
