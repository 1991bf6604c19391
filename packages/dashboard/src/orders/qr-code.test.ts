import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { qrCode } from './qr-code.ts'

const textOf = (rows: boolean[][] | undefined) =>
  rows?.map((row) => row.map((isDark) => (isDark ? '#' : '.')).join('')).join('\n')

// zbarimg has read these QR codes, and 62 others of all versions from 1 to 20.
test('a QR code has the modules that a reader has read', () => {
  assert.equal(
    textOf(qrCode('https://x.y/d/abc')),
    `#######...#..##.#.#######
#.....#.##.#..###.#.....#
#.###.#..#..#####.#.###.#
#.###.#...##.###..#.###.#
#.###.#.#...#.##..#.###.#
#.....#..###.#.#..#.....#
#######.#.#.#.#.#.#######
..........#..##..........
#.#.#.#..#....#.#...#..#.
###.#..#...#..#.####....#
####.###.##..#...#..#.###
###.##...##....#.####..#.
.#.##.#.#..##...####.#.##
.##..#...#####..#.#..#..#
#.#.#.#...###.#....#..###
.####..##...###.#...#..#.
#..##.#...##..########...
........####..###...##.##
#######......#.##.#.##.##
#.....#..#.#...##...##...
#.###.#.#...#...######..#
#.###.#..#.###.#.#.####..
#.###.#.#####.###...#...#
#.....#..##.#####.#.##.#.
#######.####..####.#...##`,
  )
  // Version 13 has several blocks, of two lengths, and the version in its modules.
  const long = qrCode('m'.repeat(300))?.map((row) => row.map(Number).join(''))
  assert.equal(long?.length, 69)
  assert.equal(
    createHash('sha256')
      .update(`${long?.join('\n')}`)
      .digest('hex'),
    '232b960e92aca4b40982e5523fb3b087e9418a29cf864d4271b1fba41bdb7e6b',
  )
})

test('a text that is too long has no QR code', () => {
  assert.equal(qrCode('m'.repeat(666))?.length, 97)
  assert.equal(qrCode('m'.repeat(667)), undefined)
})
