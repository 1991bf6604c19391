/**
 * Folds text for searching: texts that differ only in case, width or the composition of accents fold to
 * the same text. Both engines index and query folded text.
 *
 * It converts to upper case because that unifies letters that lower case keeps apart (ß and SS, ſ and s,
 * ς and σ), and before that to lower case because the capital ẞ is its own upper case.
 */
export function foldText(text: string): string {
  // Most names. The conversions below would take ten times as long.
  if (ASCII.test(text)) return text.toLowerCase()
  const folded = text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase()
  return folded.replaceAll('ς', 'σ').normalize('NFKC')
}

const ASCII = /^[\0-\x7f]*$/

/** The shortest text that a trigram index can find. */
export const TRIGRAM_LENGTH = 3

/** The distinct sequences of three characters in a folded text; none if it is shorter. */
export function trigrams(folded: string): string[] {
  const characters = [...folded]
  const runs = new Set<string>()
  for (let index = 0; index + TRIGRAM_LENGTH <= characters.length; index += 1) {
    runs.add(characters.slice(index, index + TRIGRAM_LENGTH).join(''))
  }
  return [...runs]
}

/**
 * The different words of a search, folded, longest first. Words of the same length are in the order of their
 * UTF-16 code units. A word that is part of another one is omitted, because every text that contains the longer
 * word contains it too.
 */
export function searchWords(text: string): string[] {
  const all = foldText(text).split(/\s+/u)
  const longestFirst = all.toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1))
  const words: string[] = []
  for (const word of longestFirst) {
    if (!words.some((longer) => longer.includes(word))) words.push(word)
  }
  return words.filter((word) => word !== '')
}

/** Whether the folded text contains every one of the words. */
export function hasWords(folded: string, words: readonly string[]): boolean {
  return words.every((word) => folded.includes(word))
}

const NUMBERS = /[0-9]+/g
/** Digit counts up to this value are written as a single digit. */
const MAX_DIGITS = 8

/**
 * The text by which lists sort a file name: its folded name, with the length of each number written before it.
 * `track 2` becomes `track 12` and `track 10` becomes `track 210`: compared by code points, 2 is before 10.
 */
export function sortName(filename: string): string {
  return foldText(filename).replaceAll(NUMBERS, (number) => {
    const digits = number.replace(/^0+(?=.)/, '')
    return digitCount(digits.length) + digits
  })
}

/** Writes the count so that texts sort like counts, and none is a prefix of another: 1 … 8, 91 … 98, 991 … */
function digitCount(count: number): string {
  const nines = Math.floor((count - 1) / MAX_DIGITS)
  return '9'.repeat(nines) + (count - nines * MAX_DIGITS)
}
