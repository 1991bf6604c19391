import type { Product, ProductGroup } from '@stowage/client'
import { countText } from '../format/count-text.ts'
import {
  allVariantsOf,
  type ChoiceTexts,
  choiceOf,
  type ProductChoice,
  wholeProduct,
} from './product-choices.ts'
import type { FoundProduct } from './use-found-products.ts'

/** An entry of the picker: a choice, or a step to other entries. */
export type ProductOption = {
  key: string
  texts: ChoiceTexts
  /** It belongs to the product above it, whose name is not shown again. */
  isNested: boolean
} & ({ choice: ProductChoice } | { step: 'back' | 'more' | ProductGroup })

/**
 * Variants that match the search come first, then “all variants”, because Enter chooses the first option. If some
 * variants are not shown, the last option opens a list of all variants.
 */
export function optionsOfProduct({ group, shown, named }: FoundProduct): ProductOption[] {
  const { name, variants_total: total, product_id } = group
  const isNested = total > 1
  if (!isNested) return shown.map((variant) => optionOf(choiceOf(variant)))
  const others = shown.filter((variant) => !named.includes(variant))
  const options = [
    ...named.map((variant) => optionOf(choiceOf(variant))),
    optionOf(allVariantsOf(group)),
    ...others.map(nestedOptionOf),
  ]
  if (shown.length === total) return options
  const texts = textsOf(name, `choose from ${countText(total, 'variant')}…`)
  return [...options, { key: `open ${product_id}`, texts, isNested, step: group }]
}

/** The product as a whole, without options for its variants. */
export function optionOfWhole({ group }: FoundProduct): ProductOption {
  return optionOf(wholeProduct(group))
}

interface Inside {
  group: ProductGroup
  variants: readonly Product[]
  /** How many of them the list shows. */
  count: number
}

/** The options after a product was opened: its variants. */
export function optionsInside({ group, variants, count }: Inside): ProductOption[] {
  const hidden = variants.length - count
  const back = { key: 'back', texts: textsOf('← All products'), isNested: false }
  const more = {
    key: 'more',
    texts: textsOf(group.name, `show more (${countText(hidden, 'other variant')})`),
    isNested: true,
  }
  return [
    { ...back, step: 'back' },
    optionOf(allVariantsOf(group)),
    ...variants.slice(0, count).map(nestedOptionOf),
    ...(hidden > 0 ? [{ ...more, step: 'more' as const }] : []),
  ]
}

function textsOf(product: string, variant = ''): ChoiceTexts {
  return { product, variant, details: [] }
}

export function optionOf(choice: ProductChoice): ProductOption {
  return { key: choice.key, texts: choice.texts, isNested: false, choice }
}

/** Without the vendor, which the product above it shows. */
function nestedOptionOf(variant: Product): ProductOption {
  const choice = choiceOf(variant)
  const details = [variant.sku].filter(Boolean)
  return { key: choice.key, texts: { ...choice.texts, details }, isNested: true, choice }
}
