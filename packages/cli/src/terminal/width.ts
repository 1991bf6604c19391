const ASCII = /^[\u0020-\u007e]*$/
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]*$/u
/** East Asian Wide and Fullwidth (UAX #11), without emoji. */
const WIDE =
  /^[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\u3247\u3250-\u4dff\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d356}\u{1d360}-\u{1d376}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]/u
/** Vowel signs of Indic scripts and halfwidth sound marks: each takes a column if it follows a character. */
const SPACING_MARKS = /(?<=.)[\p{Mc}\uff9e\uff9f]/gsu

/** The number of terminal columns that the text takes. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length
  return graphemesOf(text).reduce((sum, grapheme) => sum + widthOfGrapheme(grapheme), 0)
}

function widthOfGrapheme(grapheme: string): number {
  if (ZERO_WIDTH.test(grapheme)) return 0
  if (EMOJI.test(grapheme)) return 2
  return (WIDE.test(grapheme) ? 2 : 1) + (grapheme.match(SPACING_MARKS)?.length ?? 0)
}

let segmenter: Intl.Segmenter | undefined

/** Splits the text into graphemes: each is one character for a reader. */
function graphemesOf(text: string): string[] {
  // Created when first needed: most output is ASCII, and a segmenter takes about 20 ms.
  segmenter ??= new Intl.Segmenter()
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

const ELLIPSIS = '…'

/**
 * Truncates the text to `width` columns. Removes the middle, so that the extension of a file name stays,
 * and never splits a grapheme.
 */
export function truncate(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  if (width <= 1) return width === 1 ? ELLIPSIS : ''
  const all = ASCII.test(text) ? text.split('') : graphemesOf(text)
  const tailWidth = Math.floor((width - 1) / 3)
  const head = take(all, width - 1 - tailWidth)
  const tail = take(all.toReversed(), tailWidth).toReversed()
  return `${head.join('')}${ELLIPSIS}${tail.join('')}`
}

/** The first graphemes that fit. */
function take(graphemes: string[], width: number): string[] {
  let left = width
  const end = graphemes.findIndex((grapheme) => {
    left -= widthOfGrapheme(grapheme)
    return left < 0
  })
  return end === -1 ? graphemes : graphemes.slice(0, end)
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - widthOf(text))) + text
}
