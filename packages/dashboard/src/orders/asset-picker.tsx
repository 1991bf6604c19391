import { MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Asset } from '@stowage/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { DROPDOWN, useFirstOption } from '../components/dropdown.ts'
import { firstWords } from '../components/url-query.ts'
import { nameWithFolder } from '../format.ts'
import { orders as texts } from '../i18n/en/orders.ts'
import { queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'

interface AssetPickerProps {
  picked: readonly Asset[]
  onPick(assets: Asset[]): void
  /** IDs of assets that are not offered. */
  exclude?: readonly string[]
  label?: string
  description?: string
  error?: string | undefined
  /** Whether it has the focus when its dialog opens. */
  isFirstFocused?: boolean
}

const MAX_OFFERED = 20

/** Searches the assets of the account. Without a search, it offers the newest ones. */
export function AssetPicker(props: AssetPickerProps) {
  const { picked, onPick, exclude = [], label = texts.files, description, error } = props
  const { isFirstFocused = true } = props
  const client = useClient()
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), 150)
  const { data, isFetching, isPlaceholderData } = useQuery({
    queryKey: queryKeys.assetChoices(search),
    queryFn: ({ signal }) =>
      client
        .assets({
          ...(search !== '' && { search: firstWords(search) }),
          limit: MAX_OFFERED + exclude.length,
          signal,
        })
        .page(),
    placeholderData: keepPreviousData,
  })
  const isListed = text.trim() === search && data !== undefined && !isPlaceholderData
  const isSelectingFirst = useFirstOption(text, isListed)
  const found = (data?.data ?? []).filter(({ id }) => !exclude.includes(id)).slice(0, MAX_OFFERED)
  const known = new Map([...picked, ...found].map((asset) => [asset.id, asset]))
  return (
    <MultiSelect
      label={label}
      description={description}
      error={error}
      placeholder={texts.searchFiles}
      searchable
      data-autofocus={isFirstFocused || undefined}
      openOnFocus={false}
      clearable
      hidePickedOptions
      data={[...known.values()].map((asset) => ({ value: asset.id, label: nameWithFolder(asset) }))}
      // The service has filtered already.
      filter={({ options }) => options}
      searchValue={text}
      onSearchChange={setText}
      value={picked.map(({ id }) => id)}
      onChange={(ids) => onPick(ids.flatMap((id) => known.get(id) ?? []))}
      selectFirstOptionOnChange={isSelectingFirst}
      nothingFoundMessage={isFetching ? texts.searching : texts.noMatchingFiles}
      {...DROPDOWN}
      clearButtonProps={{ 'aria-label': texts.clearFiles }}
    />
  )
}
