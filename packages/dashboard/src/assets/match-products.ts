import type { Asset, ProductGroup } from '@stowage/client'
import { allVariantsOf, choiceOf, type ProductChoice } from './product-choices.ts'

/** A product that a file probably belongs to. */
export interface Suggestion {
  choice: ProductChoice
  /** `sku` and `title`: all of it is in the name of the file or its folder. `similar`: only a part of the title is. */
  reason: 'sku' | 'title' | 'similar'
}

/** A product with those of its variants that are known. */
export type ComparedProduct = Pick<
  ProductGroup,
  'product_id' | 'name' | 'vendor' | 'variants' | 'variants_total'
>

type NamedFile = Pick<Asset, 'filename' | 'path'>

/**
 * Suggests a product for each file, in their order: one whose SKU is in its name, otherwise one whose title is, otherwise the one with
 * the most similar title. The same in the name of its folder comes after SKU and title in its own name. If two products match
 * equally well, neither is suggested.
 */
export function suggestProducts(
  files: readonly NamedFile[],
  groups: readonly ComparedProduct[],
): (Suggestion | undefined)[] {
  const candidates = groups.map(candidateOf)
  return files.map(({ filename, path }) => {
    const name = namesOf(filename.replace(/\.[^.\s]{1,8}$/, ''))
    const ways = [
      () => best(candidates, (one) => matchWhole(one, name)),
      () => path && best(candidates, (one) => matchWhole(one, namesOf(`${path} ${filename}`))),
      () => best(candidates, (one) => matchPart(one, name)),
    ]
    for (const find of ways) {
      const found = find()
      if (found) return found
    }
    return undefined
  })
}

interface Names {
  words: ReadonlySet<string>
  /** Its words with a space before and after each. */
  spaced: string
  /** Its words without spaces: `AnalogDrums` has the title `Analog Drums`. */
  joined: string
}

function namesOf(text: string): Names {
  const words = wordsOf(text)
  return { words: new Set(words), spaced: ` ${words.join(' ')} `, joined: words.join('') }
}

/** `analog`, `drums`, `2` and `zip` of `Analog_Drums02.zip`. */
export function wordsOf(text: string): string[] {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/\p{N}+|[\p{L}\p{M}]+/gu) ?? []
  return words.map((word) => word.replace(/^0+(?=\p{N})/u, ''))
}

interface Candidate {
  group: ComparedProduct
  title: Names
  variants: { choice: ProductChoice; name: Names; sku: Names }[]
}

function candidateOf(group: ComparedProduct): Candidate {
  const variants = group.variants.map((variant) => ({
    choice: choiceOf(variant),
    name: namesOf(variant.variant_name),
    sku: namesOf(variant.sku),
  }))
  return { group, title: namesOf(group.name), variants }
}

interface Match extends Suggestion {
  /** The better match has the higher number. */
  score: number
}

/** The only candidate with the highest score. */
function best(
  candidates: readonly Candidate[],
  match: (candidate: Candidate) => Match | undefined,
): Suggestion | undefined {
  let first: Match | undefined
  let isShared = false
  for (const candidate of candidates) {
    const found = match(candidate)
    if (found === undefined || found.score < (first?.score ?? 0)) continue
    isShared = found.score === first?.score
    first = found
  }
  return isShared ? undefined : first && { choice: first.choice, reason: first.reason }
}

/** An SKU is a better match than any title. */
const SKU_SCORE = 1_000_000

function matchWhole(candidate: Candidate, file: Names): Match | undefined {
  const { group, title, variants } = candidate
  const withSku = variants
    .filter(({ sku }) => hasSku(file, sku))
    .toSorted((a, b) => b.sku.joined.length - a.sku.joined.length)
  const [longest, second] = withSku
  if (longest !== undefined) {
    const score = SKU_SCORE + longest.sku.joined.length
    const isUnique = second === undefined || second.sku.joined.length < longest.sku.joined.length
    if (isUnique || withSku.length === group.variants_total) {
      const choice = isUnique ? ofSingle(group, longest.choice) : allVariantsOf(group)
      return { choice, reason: 'sku', score }
    }
  }
  if (title.joined.length < 3 || !hasTitle(file, title)) return undefined
  const named = variants
    .filter(({ name }) => name.joined !== '' && hasTitle(file, name))
    .toSorted((a, b) => b.name.joined.length - a.name.joined.length)
  const [variant] = named
  const isNamed = variant && variant.name.joined.length > (named[1]?.name.joined.length ?? 0)
  const choice = isNamed ? variant.choice : allVariantsOf(group)
  return { choice: ofSingle(group, choice), reason: 'title', score: title.joined.length }
}

/** A product with one variant is offered as this variant everywhere. */
function ofSingle({ variants: [only], variants_total }: ComparedProduct, choice: ProductChoice) {
  return variants_total === 1 && only !== undefined ? choiceOf(only) : choice
}

/** Short SKUs and those of digits only are also parts of other names, such as `100` of `Top 100`. */
function hasSku(file: Names, sku: Names): boolean {
  if (sku.joined === '') return false
  if (file.joined === sku.joined) return true
  const isDistinct = sku.joined.length >= (/^\p{N}+$/u.test(sku.joined) ? 5 : 3)
  return isDistinct && file.spaced.includes(sku.spaced)
}

const MIN_JOINED_LENGTH = 6

function hasTitle(file: Names, title: Names): boolean {
  if ([...title.words].every((word) => file.words.has(word))) return true
  return title.joined.length >= MIN_JOINED_LENGTH && file.joined.includes(title.joined)
}

/** How much of the title has to be in the name of the file. */
const MIN_SHARE = 0.5

function matchPart({ group, title }: Candidate, file: Names): Match | undefined {
  const shared = [...title.words].filter((word) => file.words.has(word)).join('').length
  const score = shared / [...title.words].join('').length
  if (shared < 3 || score < MIN_SHARE) return undefined
  return { choice: ofSingle(group, allVariantsOf(group)), reason: 'similar', score }
}

/**
 * The searches that find products of a file in a shop with too many products to compare all of them: its words, and parts of them that
 * follow each other, the longest first. The hyphens of SKUs stay.
 */
export function searchesFor(filename: string): string[] {
  const stem = filename.replace(/\.[^.\s]{1,8}$/, '')
  const words = stem.split(/[\s_.,;()[\]+]+|\s-\s/).filter((word) => word.length > 1)
  const searches: string[] = []
  for (let count = Math.min(words.length, MAX_SEARCHED_WORDS); count > 0; count -= 1) {
    for (let start = 0; start + count <= words.length; start += 1) {
      searches.push(words.slice(start, start + count).join(' '))
    }
  }
  return searches.slice(0, MAX_SEARCHES)
}

const MAX_SEARCHED_WORDS = 4
const MAX_SEARCHES = 6
