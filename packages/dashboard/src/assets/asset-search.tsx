import { CloseButton, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { LONGEST_SEARCH } from './asset-query.ts'

interface Props {
  search: string
  /** `isFirst`: of those that people type in one go. The back button leads to before it. */
  onSearch(search: string, isFirst: boolean): void
}

const TYPING_MS = 150

/** What is typed is kept here, so that nothing else is drawn for a letter. */
export function AssetSearch({ search, onSearch }: Props) {
  const [text, setText] = useState(search)
  const told = useRef(search)
  const isTyping = useRef(false)

  useEffect(() => {
    // The address bar changed by itself.
    if (search !== told.current) setText(search)
    told.current = search
  }, [search])

  useEffect(() => {
    const wanted = text.trim()
    if (wanted === told.current) return
    const timer = setTimeout(() => {
      told.current = wanted
      onSearch(wanted, !isTyping.current)
      isTyping.current = true
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [text, onSearch])

  return (
    <TextInput
      type="search"
      aria-label="Search by name"
      placeholder="Search by name"
      flex={1}
      miw={180}
      dir="auto"
      maxLength={LONGEST_SEARCH}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        text !== '' && (
          <CloseButton size="sm" aria-label="Clear the search" onClick={() => setText('')} />
        )
      }
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={() => {
        isTyping.current = false
      }}
    />
  )
}
