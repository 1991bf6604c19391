import { MultiSelect, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Product, ProductGroup } from '@stowage/client'
import { useState } from 'react'
import { DROPDOWN, useFirstOption } from '../components/dropdown.ts'
import { changes as catalog } from '../i18n/en/changes.ts'
import { plural } from '../i18n/texts.ts'
import {
  allVariantsOf,
  type ChoiceTexts,
  choiceOf,
  labelOf,
  type ProductChoice,
  textHasWords,
  wholeProduct,
} from './product-choices.ts'
import classes from './product-picker.module.css'
import { type FoundProduct, useFoundProducts, useVariants } from './product-search.ts'

interface ProductPickerProps {
  picked: readonly ProductChoice[]
  onPick(products: ProductChoice[]): void
  label?: string
  isLabelHidden?: boolean
  /** Variants that are not offered. */
  exclude?: readonly Product[]
  /** Offers no variants. */
  isWhole?: boolean
}

/** How many variants of an opened product are shown at first, and added by “Show more”. */
const STEP = 50

/** Offers products and their variants. A product with many variants can be opened to list all of them. */
export function ProductPicker(props: ProductPickerProps) {
  const { picked, onPick, label = catalog.products, exclude = [], isWhole = false } = props
  const { isLabelHidden = false } = props
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
      {...(isLabelHidden ? { 'aria-label': label } : { label })}
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
      nothingFoundMessage={isStale ? catalog.searching : catalog.noProducts}
      {...DROPDOWN}
      clearButtonProps={{ 'aria-label': catalog.clearProducts }}
    />
  )
}

function placeholderOf(inside: ProductGroup | undefined, picked: readonly ProductChoice[]) {
  if (inside !== undefined) return catalog.variantOrSku
  return picked.length === 0 ? catalog.nameOrSku : undefined
}

/** Whether all variants of the product are excluded. */
function isComplete(exclude: readonly Product[], group: ProductGroup): boolean {
  const count = exclude.filter(({ product_id }) => product_id === group.product_id).length
  return count === group.variants_total
}

/** An entry of the picker: a choice, or a step to other entries. */
type ProductOption = {
  key: string
  texts: ChoiceTexts
  /** It belongs to the product above it, whose name is not shown again. */
  isNested: boolean
} & ({ choice: ProductChoice } | { step: 'back' | 'more' | ProductGroup })

/**
 * Variants that match the search come first, then “all variants”, because Enter chooses the first option. If some
 * variants are not shown, the last option opens a list of all variants.
 */
function optionsOfProduct({ group, shown, named }: FoundProduct): ProductOption[] {
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
  const texts = textsOf(name, plural(catalog.chooseFrom, total))
  return [...options, { key: `open ${product_id}`, texts, isNested, step: group }]
}

/** The product as a whole, without options for its variants. */
function optionOfWhole({ group }: FoundProduct): ProductOption {
  return optionOf(wholeProduct(group))
}

interface OpenedProduct {
  group: ProductGroup
  variants: readonly Product[]
  /** How many of them the list shows. */
  count: number
}

/** The options after a product was opened: its variants. */
function optionsInside({ group, variants, count }: OpenedProduct): ProductOption[] {
  const hidden = variants.length - count
  const back = { key: 'back', texts: textsOf(catalog.back), isNested: false }
  const more = {
    key: 'more',
    texts: textsOf(group.name, plural(catalog.showMore, hidden)),
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

function optionOf(choice: ProductChoice): ProductOption {
  return { key: choice.key, texts: choice.texts, isNested: false, choice }
}

/** Without the vendor, which the product above it shows. */
function nestedOptionOf(variant: Product): ProductOption {
  const choice = choiceOf(variant)
  const details = [variant.sku].filter(Boolean)
  return { key: choice.key, texts: { ...choice.texts, details }, isNested: true, choice }
}

/** The variants of a product are indented below it. Screen readers read the name of the product with each. */
function ProductOptionText({ option }: { option: ProductOption }) {
  const { texts, isNested } = option
  const { product, variant } = texts
  const details = texts.details.join(' · ')
  if (isNested) {
    return (
      <span className={classes.nested} data-step={'step' in option || undefined}>
        <VisuallyHidden>{product} · </VisuallyHidden>
        <bdi dir="auto">{variant}</bdi>
        {details !== '' && <span className={classes.details}> · {details}</span>}
      </span>
    )
  }
  return (
    <span>
      <bdi dir="auto" className={classes.product}>
        {product}
      </bdi>
      {variant !== '' && <span> · {variant}</span>}
      {details !== '' && <span className={classes.details}> · {details}</span>}
    </span>
  )
}
