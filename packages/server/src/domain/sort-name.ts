import { foldText } from './search-text.ts'

const NUMBERS = /[0-9]+/g
/** Up to this many digits are written as one digit before the number. */
const MAX_DIGITS = 8

/**
 * The text by which lists sort a file name: its folded name, with the number of digits before each number.
 * Compared by code points, `track 2` is then before `track 10`.
 */
export function sortName(filename: string): string {
  return foldText(filename).replaceAll(NUMBERS, (number) => {
    const digits = number.replace(/^0+(?=.)/, '')
    return digitCount(digits.length) + digits
  })
}

/** Texts that sort like their numbers, and of which none begins like another: 1 … 8, 91 … 98, 991 … */
function digitCount(count: number): string {
  const nines = Math.floor((count - 1) / MAX_DIGITS)
  return '9'.repeat(nines) + (count - nines * MAX_DIGITS)
}
