import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLiveLines } from './live-lines.ts'

/** A minimal terminal: it wraps long lines, moves the cursor up and clears the rest of the screen. */
function aTerminal(columns: number) {
  let screen: string[] = ['']
  let row = 0
  let column = 0
  const put = (character: string) => {
    if (column === stream.columns) {
      row += 1
      column = 0
    }
    screen[row] = (screen[row] ?? '').slice(0, column) + character
    column += 1
  }
  const stream = {
    isTTY: true,
    columns,
    write(text: string) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal interprets them
      for (const [token, up] of text.matchAll(/\u001b\[(\d*)[AJ]|[\s\S]/g)) {
        if (token === '\n') [row, column] = [row + 1, 0]
        else if (token === '\r') column = 0
        else if (token.endsWith('A') && up !== undefined) row -= Number(up)
        else if (token === '\u001b[J') screen = [...screen.slice(0, row), '']
        else put(token)
        screen[row] ??= ''
      }
      return true
    },
    /** Makes the terminal narrower, which wraps the lines that no longer fit. */
    shrinkTo(narrower: number) {
      const wrapped = screen.map((line) => line.match(new RegExp(`.{1,${narrower}}`, 'g')) ?? [''])
      screen = wrapped.flat()
      row = screen.length - 1
      stream.columns = narrower
    },
    seen: () => screen.filter((line) => line !== ''),
  }
  return stream
}

function open(terminal: ReturnType<typeof aTerminal>) {
  return openLiveLines(terminal as unknown as NodeJS.WriteStream)
}

test('lines are redrawn in place, and other output is kept', () => {
  const terminal = aTerminal(40)
  const live = open(terminal)
  live.show(['a 10 %', 'b 20 %', 'all 15 %'])
  live.show(['a 30 %', 'all 25 %'])
  assert.deepEqual(terminal.seen(), ['a 30 %', 'all 25 %'])
  live.clear()
  terminal.write('a done\n')
  live.show(['b 40 %'])
  assert.deepEqual(terminal.seen(), ['a done', 'b 40 %'])
  live.clear()
  assert.deepEqual(terminal.seen(), ['a done'])
})

test('lines are removed after the terminal was made narrower', () => {
  const terminal = aTerminal(40)
  const live = open(terminal)
  live.show(['x'.repeat(39), 'y'.repeat(30)])
  terminal.shrinkTo(20)
  live.show(['short'])
  assert.deepEqual(terminal.seen(), ['short'])
})

test('lines that are wider than the terminal are removed too', () => {
  const terminal = aTerminal(10)
  const live = open(terminal)
  live.show(['fifteen columns', 'x'])
  live.show(['y'])
  assert.deepEqual(terminal.seen(), ['y'])
})

test('nothing is drawn if the output is not a terminal', () => {
  const terminal = { ...aTerminal(40), isTTY: false }
  const live = open(terminal)
  live.show(['a'])
  live.clear()
  assert.deepEqual([live.isLive, terminal.seen()], [false, []])
})
