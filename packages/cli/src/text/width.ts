const ASCII = /^[\u0020-\u007e]*$/
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u
const WIDTHLESS = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]*$/u
/** East Asian Wide and Fullwidth (UAX #11), but for the emoji. */
const WIDE =
  /^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u4dff\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]/u

const letters = new Intl.Segmenter()

/** How many columns of a terminal the text takes. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const { segment } of letters.segment(text)) width += widthOfLetter(segment)
  return width
}

/** Of what a reader takes for one letter, however many code points it is made of. */
function widthOfLetter(letter: string): number {
  if (WIDTHLESS.test(letter)) return 0
  return WIDE.test(letter) || EMOJI.test(letter) ? 2 : 1
}

const ELLIPSIS = '…'

/**
 * At most `width` columns. What is left out is left out of the middle, so that a file's ending
 * stays. No letter is cut in two.
 */
export function truncate(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  if (width <= 1) return width === 1 ? ELLIPSIS : ''
  const all = Array.from(letters.segment(text), ({ segment }) => segment)
  const tailWidth = Math.floor((width - 1) / 3)
  const head = take(all, width - 1 - tailWidth)
  const tail = take(all.toReversed(), tailWidth).toReversed()
  return `${head.join('')}${ELLIPSIS}${tail.join('')}`
}

function take(some: string[], width: number): string[] {
  let left = width
  const end = some.findIndex((letter) => {
    left -= widthOfLetter(letter)
    return left < 0
  })
  return end === -1 ? some : some.slice(0, end)
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - widthOf(text))) + text
}
