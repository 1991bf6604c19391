import { MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Product } from '@stowage/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { firstWords } from '../components/url-query.ts'
import { useClient } from '../session/session.tsx'
import { choicesOf, type ProductChoice } from './product-choices.ts'

interface Props {
  picked: readonly ProductChoice[]
  onPick(products: ProductChoice[]): void
  label?: string
  /** Variants that are not offered. */
  exclude?: readonly Product[]
}

const MAX_PRODUCTS = 15

/** Searches the service, because a shop has too many products to list. */
export function ProductPicker({ picked, onPick, label = 'Products', exclude = [] }: Props) {
  const client = useClient()
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [search] = useDebouncedValue(text.trim(), 150)
  const { data: found, isFetching } = useQuery({
    queryKey: ['products', 'search', search],
    queryFn: ({ signal }) =>
      client
        .productGroups({
          ...(search !== '' && { search: firstWords(search) }),
          limit: MAX_PRODUCTS,
          signal,
        })
        .page(),
    placeholderData: keepPreviousData,
  })
  const excluded = new Set(exclude.map(({ id }) => id))
  const offered = (found?.data ?? []).flatMap((group) => {
    const isComplete = countOf(exclude, group.product_id) === group.variants_total
    return isComplete ? [] : choicesOf(group, search)
  })
  const known = new Map([...picked, ...offered].map((choice) => [choice.key, choice]))
  for (const id of excluded) known.delete(id)
  return (
    <MultiSelect
      label={label}
      placeholder={picked.length === 0 ? 'Search by name, variant, SKU or vendor' : undefined}
      searchable
      clearable
      hidePickedOptions
      data={[...known.values()].map((choice) => ({ value: choice.key, label: choice.label }))}
      // The service has filtered already.
      filter={({ options }) => options}
      searchValue={text}
      onSearchChange={setText}
      value={picked.map(({ key }) => key)}
      onChange={(keys) => {
        // The dropdown would cover the buttons below.
        setOpen(false)
        onPick(keys.flatMap((key) => known.get(key) ?? []))
      }}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      nothingFoundMessage={isFetching ? 'Searching…' : 'No matching products'}
      // Above the dialog, and in a landmark of the page.
      comboboxProps={{ portalProps: { target: 'main' } }}
      maxDropdownHeight={320}
      clearButtonProps={{ 'aria-label': 'Clear products' }}
    />
  )
}

function countOf(products: readonly Product[], productId: number): number {
  return products.filter(({ product_id }) => product_id === productId).length
}
