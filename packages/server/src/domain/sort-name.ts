import { foldText } from './search-text.ts'

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
