import { MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Asset } from '@stowage/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { DROPDOWN } from '../components/dropdown.ts'
import { useClient } from '../session/session.tsx'
import { assetFilters, readAssetQuery } from './asset-query.ts'
import { textHasWords } from './has-words.ts'
import { useFirstOption } from './use-first-option.ts'

interface Props {
  onPick(asset: Asset): void
  /** Assets that are not offered. */
  exclude: readonly Asset[]
}

const MAX_ASSETS = 20

/** Searches the assets of the account, and calls `onPick` with each one that the user chooses. */
export function AssetPicker({ onPick, exclude }: Props) {
  const client = useClient()
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [search] = useDebouncedValue(text.trim(), 150)
  const { data, isFetching, isPlaceholderData } = useQuery({
    queryKey: ['assets', 'search', search],
    queryFn: ({ signal }) =>
      client
        .assets({ ...assetFilters({ ...readAssetQuery(''), search }), limit: MAX_ASSETS, signal })
        .page(),
    placeholderData: keepPreviousData,
  })
  const excluded = new Set(exclude.map(({ id }) => id))
  // Until the service has responded, assets of the previous search remain if they contain the words.
  const isStale = text.trim() !== search || isFetching
  const isListed = text.trim() === search && data !== undefined && !isPlaceholderData
  const isSelectingFirst = useFirstOption(text, isListed)
  const found = (data?.data ?? []).filter(
    ({ id, filename }) => !excluded.has(id) && (!isStale || textHasWords(filename, text)),
  )
  return (
    <MultiSelect
      label="Attach assets"
      placeholder="Search assets"
      flex={1}
      miw={200}
      searchable
      data={found.map(({ id, filename, size }) => ({ value: id, label: `${filename} (${size})` }))}
      // The service has filtered already.
      filter={({ options }) => options}
      searchValue={text}
      onSearchChange={setText}
      value={[]}
      onChange={([picked]) => {
        const asset = found.find(({ id }) => id === picked)
        setText('')
        // Otherwise the next click could attach another asset by mistake.
        setOpen(false)
        if (asset !== undefined) onPick(asset)
      }}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      selectFirstOptionOnChange={isSelectingFirst}
      nothingFoundMessage={isStale ? 'Searching…' : 'No matching assets'}
      {...DROPDOWN}
    />
  )
}
