import assert from 'node:assert/strict'
import { test } from 'node:test'
import { barOf, percentOf, progressLine, progressSentence } from './progress-line.ts'
import { widthOf } from './width.ts'

const PROGRESS = { name: 'course.mp4', bytes: 1.2e9, total: 2.6e9, rate: 12e6, secondsLeft: 117 }

test('a line has the name, bar, percentage, amount, rate and time', () => {
  const line = progressLine(PROGRESS, 100)
  assert.match(line, /^course\.mp4 +█+░+ +46 % +1\.2 GB of 2\.6 GB +12 MB\/s +117 s left$/)
})

test('the lines of several files align', () => {
  const names = ['a.bin', 'a-much-longer-name-than-that.bin', 'サンプル.wav']
  const lines = names.map((name, index) =>
    progressLine({ ...PROGRESS, name, bytes: index * 9e8, rate: index * 1e5 }, 80),
  )
  assert.equal(new Set(lines.map((line) => widthOf(line.slice(0, line.search(/[█░]/))))).size, 1)
  assert.equal(new Set(lines.map((line) => widthOf(line.slice(0, line.indexOf('%'))))).size, 1)
})

test('a line fits every terminal, and always has the name and the percentage', () => {
  for (const name of [
    'course.mp4',
    'サンプルパック集とても長い名前.wav',
    'مرحبا-مرحبا-مرحبا.zip',
    '\u001b[2J',
  ]) {
    for (let columns = 20; columns <= 200; columns += 1) {
      const line = progressLine({ ...PROGRESS, name }, columns)
      assert.ok(widthOf(line) <= columns, `${columns}: ${line}`)
      assert.match(line, /46 %/)
    }
  }
})

test('a note replaces amount, rate and time', () => {
  assert.match(progressLine({ ...PROGRESS, note: 'finishing' }, 80), /46 % {2}finishing$/)
})

test('100 % is shown only for a complete or an empty file', () => {
  assert.deepEqual([percentOf(999, 1000), percentOf(1000, 1000), percentOf(0, 0)], [99, 100, 100])
  assert.deepEqual([barOf(999, 1000, 10), barOf(0, 0, 2)], ['█████████░', '██'])
})

test('for a log, the progress is a sentence', () => {
  assert.equal(
    progressSentence({ ...PROGRESS, name: 'a\nb' }),
    'a␊b: 46 %, 1.2 GB of 2.6 GB, 12 MB/s, 117 s left',
  )
})
