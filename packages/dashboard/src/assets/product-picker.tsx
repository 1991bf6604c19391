import { MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Product, ProductGroup } from '@stowage/client'
import { useState } from 'react'
import { DROPDOWN } from '../components/dropdown.ts'
import { textHasWords } from './has-words.ts'
import { labelOf, type ProductChoice } from './product-choices.ts'
import { ProductOptionText } from './product-option-text.tsx'
import {
  optionOf,
  optionOfWhole,
  optionsInside,
  optionsOfProduct,
  type ProductOption,
} from './product-options.ts'
import { useFirstOption } from './use-first-option.ts'
import { useFoundProducts } from './use-found-products.ts'
import { useVariants } from './use-variants.ts'

interface Props {
  picked: readonly ProductChoice[]
  onPick(products: ProductChoice[]): void
  label?: string
  /** Variants that are not offered. */
  exclude?: readonly Product[]
  /** Offers no variants. */
  isWhole?: boolean
}

/** How many variants of an opened product are shown at first, and added by “Show more”. */
const STEP = 50

/** Offers products and their variants. A product with many variants can be opened to list all of them. */
export function ProductPicker(props: Props) {
  const { picked, onPick, label = 'Products', exclude = [], isWhole = false } = props
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [inside, setInside] = useState<ProductGroup>()
  const [count, setCount] = useState(STEP)
  const [search] = useDebouncedValue(text.trim(), 150)
  const products = useFoundProducts(search, inside === undefined)
  const variants = useVariants(inside, search)
  const isFetching = inside === undefined ? products.isFetching : variants.isFetching
  // Until the service has responded, options of the previous search remain if they contain the words.
  const isStale = text.trim() !== search || isFetching
  const isListed =
    text.trim() === search && products.data !== undefined && !products.isPlaceholderData
  // In the list of one product, the first option returns to all products, so Enter must not choose it.
  const isSelectingFirst = useFirstOption(text, isListed && inside === undefined)
  const excluded = new Set(exclude.map(({ id }) => id))
  const offered =
    inside === undefined
      ? (products.data ?? [])
          .filter(({ group }) => !isComplete(exclude, group))
          .flatMap((found) => (isWhole ? optionOfWhole(found) : optionsOfProduct(found)))
      : optionsInside({ group: inside, variants: variants.data?.variants ?? [], count })
  const options = new Map<string, ProductOption>()
  for (const choice of picked) options.set(choice.key, optionOf(choice))
  for (const option of offered) {
    const isOffered = !isStale || 'step' in option || textHasWords(labelOf(option.texts), text)
    if (isOffered && !excluded.has(option.key)) options.set(option.key, option)
  }

  const leave = () => {
    setInside(undefined)
    setCount(STEP)
  }
  const close = () => {
    setOpen(false)
    leave()
  }
  const onChange = (keys: string[]) => {
    const chosen = keys.flatMap((key) => options.get(key) ?? [])
    const step = chosen.find((option) => 'step' in option)
    // The words that found a product also find its variants.
    setText(step === undefined ? '' : text)
    if (step === undefined) {
      // The dropdown would cover the buttons below.
      close()
      onPick(chosen.flatMap((option) => ('choice' in option ? option.choice : [])))
    } else if (step.step === 'back') leave()
    else if (step.step === 'more') setCount(count + STEP)
    else setInside(step.step)
  }
  return (
    <MultiSelect
      label={label}
      placeholder={placeholderOf(inside, picked)}
      searchable
      // In a dialog, users start to type immediately. The list opens when they do.
      data-autofocus
      openOnFocus={false}
      clearable
      hidePickedOptions
      data={[...options.values()].map(({ key, texts }) => ({ value: key, label: labelOf(texts) }))}
      renderOption={({ option: { value } }) => {
        const option = options.get(value)
        return option && <ProductOptionText option={option} />
      }}
      // The service has filtered already.
      filter={({ options }) => options}
      searchValue={text}
      onSearchChange={setText}
      value={picked.map(({ key }) => key)}
      onChange={onChange}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={close}
      selectFirstOptionOnChange={isSelectingFirst}
      nothingFoundMessage={isStale ? 'Searching…' : 'No matching products'}
      {...DROPDOWN}
      clearButtonProps={{ 'aria-label': 'Clear products' }}
    />
  )
}

function placeholderOf(inside: ProductGroup | undefined, picked: readonly ProductChoice[]) {
  if (inside !== undefined) return 'Variant or SKU'
  return picked.length === 0 ? 'Name, variant, SKU or vendor' : undefined
}

/** Whether all variants of the product are excluded. */
function isComplete(exclude: readonly Product[], group: ProductGroup): boolean {
  const count = exclude.filter(({ product_id }) => product_id === group.product_id).length
  return count === group.variants_total
}
