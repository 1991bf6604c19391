/**
 * Folds text for searching: texts that differ only in case, width or the composition of accents fold to
 * the same text. Both engines index and query folded text.
 *
 * It converts to upper case because that unifies letters that lower case keeps apart (ß and SS, ſ and s,
 * ς and σ), and before that to lower case because the capital ẞ is its own upper case.
 */
export function foldText(text: string): string {
  const folded = text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase()
  return folded.replaceAll('ς', 'σ').normalize('NFKC')
}

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
