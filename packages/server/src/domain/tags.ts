import { MAX_TAG_LENGTH } from '@stowage/protocol'
import { isPrintable } from './names.ts'
import { foldText } from './search.ts'

/** How many different tags the ready assets of an account have at most. */
export const MAX_ACCOUNT_TAGS = 10_000

/** A folded tag is part of an index entry, whose size PostgreSQL limits. Few characters fold to more than their size. */
const MAX_FOLDED_BYTES = 1000

/** Why the text is not a tag; undefined if it is one. */
export function problemWithTag(text: string): string | undefined {
  const tag = text.trim()
  if (tag === '' || tag.length > MAX_TAG_LENGTH) {
    return `must be a tag of 1 to ${MAX_TAG_LENGTH} characters`
  }
  if (!isPrintable(tag)) return 'must not have control characters or lone surrogates'
  const isLong = Buffer.byteLength(foldText(tag)) > MAX_FOLDED_BYTES
  return isLong ? 'is too long to be compared: use fewer special characters' : undefined
}

/** A tag as it is compared: two spellings of the same tag differ in case, width or the composition of accents. */
export function foldTag(tag: string): string {
  return foldText(tag.trim())
}

/** Tags as an asset stores them: trimmed, each tag once with its first spelling, sorted by their folded forms. */
export function normalizeTags(given: readonly string[]): string[] {
  const byFolded = new Map<string, string>()
  for (const tag of given) {
    const folded = foldTag(tag)
    if (!byFolded.has(folded)) byFolded.set(folded, tag.trim())
  }
  return [...byFolded].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, tag]) => tag)
}

/** The tags of an asset with these tags added. A tag that it has keeps its spelling. */
export function addTags(tags: readonly string[], added: readonly string[]): string[] {
  return normalizeTags([...tags, ...added])
}

/** The tags of an asset without these tags, in any spelling. */
export function removeTags(tags: readonly string[], removed: readonly string[]): string[] {
  const folded = new Set(removed.map(foldTag))
  return tags.filter((tag) => !folded.has(foldTag(tag)))
}
