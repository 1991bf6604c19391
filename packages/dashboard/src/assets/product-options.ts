import type { Product, ProductGroup } from '@stowage/client'
import { countText } from '../format/count-text.ts'
import { allVariantsOf, choiceOf, type ProductChoice } from './product-choices.ts'
import type { FoundProduct } from './use-found-products.ts'

/** An entry of the picker: a choice, or a step to other entries. */
export type ProductOption =
  | { key: string; label: string; choice: ProductChoice }
  | { key: string; label: string; step: 'back' | 'more' | ProductGroup }

/** “All variants” comes first. A product with further variants opens a list of its own. */
export function optionsOfProduct({ group, shown }: FoundProduct): ProductOption[] {
  const { name, variants_total: total, product_id } = group
  const variants = shown.map(optionOf)
  if (total === 1) return variants
  const options = [choose(allVariantsOf(group)), ...variants]
  if (shown.length === total) return options
  const label = `${name} · choose from ${countText(total, 'variant')}…`
  return [...options, { key: `open ${product_id}`, label, step: group }]
}

interface Inside {
  group: ProductGroup
  variants: readonly Product[]
  /** How many of them the list shows. */
  count: number
}

/** The list of one product. */
export function optionsInside({ group, variants, count }: Inside): ProductOption[] {
  const hidden = variants.length - count
  return [
    { key: 'back', label: '← All products', step: 'back' },
    choose(allVariantsOf(group)),
    ...variants.slice(0, count).map(optionOf),
    ...(hidden > 0
      ? [
          {
            key: 'more',
            label: `Show more of ${countText(hidden, 'variant')}`,
            step: 'more',
          } as const,
        ]
      : []),
  ]
}

function optionOf(variant: Product): ProductOption {
  return choose(choiceOf(variant))
}

function choose(choice: ProductChoice): ProductOption {
  return { key: choice.key, label: choice.label, choice }
}
