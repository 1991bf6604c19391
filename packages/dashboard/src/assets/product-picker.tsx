import { MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Client, Product } from '@stowage/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../session/session.tsx'
import { productName } from './product-names.ts'

interface Props {
  picked: readonly Product[]
  onPick(products: Product[]): void
  label?: string
  /** Products that are not offered. */
  exclude?: readonly Product[]
}

const MAX_OPTIONS = 20

/** Searches the service by part of the name or by SKU, because a shop has too many products to list. */
export function ProductPicker({ picked, onPick, label = 'Products', exclude = [] }: Props) {
  const client = useClient()
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [searchText] = useDebouncedValue(text.trim(), 150)
  const { data: found = [], isFetching } = useQuery({
    queryKey: ['products', 'search', searchText],
    queryFn: ({ signal }) => findProducts(client, searchText, signal),
    placeholderData: keepPreviousData,
  })
  const known = new Map([...picked, ...found].map((product) => [product.id, product]))
  for (const { id } of exclude) known.delete(id)
  return (
    <MultiSelect
      label={label}
      placeholder={picked.length === 0 ? 'Search by name or SKU' : undefined}
      searchable
      clearable
      hidePickedOptions
      data={[...known.values()].map((product) => ({ value: product.id, label: labelOf(product) }))}
      // The service has filtered already.
      filter={({ options }) => options}
      searchValue={text}
      onSearchChange={setText}
      value={picked.map(({ id }) => id)}
      onChange={(ids) => {
        // The dropdown would cover the buttons below.
        setOpen(false)
        onPick(ids.flatMap((id) => known.get(id) ?? []))
      }}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      nothingFoundMessage={isFetching ? 'Searching…' : 'No matching products'}
      // In the dialog's element, but not clipped by it.
      comboboxProps={{ withinPortal: false, floatingStrategy: 'fixed' }}
      maxDropdownHeight={260}
      clearButtonProps={{ 'aria-label': 'Clear products' }}
    />
  )
}

async function findProducts(client: Client, text: string, signal: AbortSignal): Promise<Product[]> {
  if (text === '') return (await client.products({ limit: MAX_OPTIONS, signal }).page()).data
  const [byName, bySku] = await Promise.all([
    client.products({ name: text, limit: MAX_OPTIONS, signal }).page(),
    client.products({ sku: text, limit: MAX_OPTIONS, signal }).page(),
  ])
  const both = [...bySku.data, ...byName.data]
  return [...new Map(both.map((product) => [product.id, product])).values()]
}

function labelOf(product: Product): string {
  return product.sku === '' ? productName(product) : `${productName(product)} (${product.sku})`
}
