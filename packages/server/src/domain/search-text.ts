/**
 * The form in which names are searched: two texts that differ only in case, in how accents are
 * composed or in width fold to the same. Both engines index and query this form.
 *
 * By way of upper case, because it unites what lower case keeps apart (ß and SS, ſ and s, ς and σ);
 * and to that by way of lower case, as the capital ẞ is its own upper case.
 */
export function foldText(text: string): string {
  const folded = text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase()
  return folded.replaceAll('ς', 'σ').normalize('NFKC')
}

/** The shortest text that a trigram index can look up. */
export const TRIGRAM_LENGTH = 3

/** Every run of three characters of a folded text, each once; none when it is shorter. */
export function trigrams(folded: string): string[] {
  const characters = [...folded]
  const runs = new Set<string>()
  for (let index = 0; index + TRIGRAM_LENGTH <= characters.length; index += 1) {
    runs.add(characters.slice(index, index + TRIGRAM_LENGTH).join(''))
  }
  return [...runs]
}
