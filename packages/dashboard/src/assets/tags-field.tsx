import { TagsInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { DROPDOWN } from '../components/dropdown.ts'
import { queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'

interface TagsFieldProps {
  label: string
  value: string[]
  onChange(tags: string[]): void
  /** What is typed and not yet a tag. It becomes one when the field loses the focus. */
  onText?(text: string): void
  /** Tags that are not suggested. */
  exclude?: readonly string[]
  /** The only tags that are suggested. Undefined: those of the account. */
  choices?: string[]
}

/** The service accepts this many tags of an asset, with this many characters each. */
const MAX_TAGS = 50
const MAX_LENGTH = 100
const MAX_SUGGESTIONS = 20

/** A field for several tags. Enter or a comma ends a tag. It suggests tags that exist. */
export function TagsField(props: TagsFieldProps) {
  const { label, value, onChange, onText, exclude = [], choices } = props
  const client = useClient()
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), 150)
  const { data } = useQuery({
    queryKey: queryKeys.tags(search, MAX_SUGGESTIONS),
    queryFn: ({ signal }) =>
      client.tags({ limit: MAX_SUGGESTIONS, ...(search !== '' && { search }), signal }).page(),
    placeholderData: keepPreviousData,
    enabled: choices === undefined,
  })
  const known = choices ?? data?.data.map(({ name }) => name) ?? []
  const excluded = new Set(exclude.map(folded))
  return (
    <TagsInput
      {...DROPDOWN}
      label={label}
      dir="auto"
      maxLength={MAX_LENGTH}
      maxTags={MAX_TAGS}
      data={known.filter((tag) => !excluded.has(folded(tag)))}
      value={value}
      onChange={onChange}
      searchValue={text}
      onSearchChange={(typed) => {
        setText(typed)
        onText?.(typed.trim())
      }}
    />
  )
}

/** Compares tags as far as case; the service also folds width and accents. */
export function folded(tag: string): string {
  return tag.trim().toLowerCase()
}
