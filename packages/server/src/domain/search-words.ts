import { foldText } from './search-text.ts'

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
