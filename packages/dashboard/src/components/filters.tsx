import { CloseButton, Group, Pill, Text, TextInput, type TextInputProps } from '@mantine/core'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { common } from '../i18n/en/common.ts'
import { fill } from '../i18n/texts.ts'
import { useKey } from './focus.ts'
import { MAX_FILTER_LENGTH } from './url-query.ts'

interface ChangeOptions {
  /** Replaces the current entry in the browser's history. */
  replace?: boolean
}

/** Keeps the filters, order and page of a list in the URL, so that back, forward, reload and bookmarks work. */
export function useUrlQuery<Query extends { page: number }>(
  read: (search: string) => Query,
  urlOf: (query: Query) => string,
) {
  const search = useSearch()
  const [, navigate] = useLocation()
  const query = useMemo(() => read(search), [read, search])
  const change = useCallback(
    (changes: Partial<Query>, { replace = false }: ChangeOptions = {}) => {
      // Another filter or order starts at the first page.
      const current = { ...read(window.location.search), page: 1 }
      navigate(urlOf({ ...current, ...changes }), { replace })
    },
    [read, urlOf, navigate],
  )
  return { query, change }
}

interface FilterInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  label: string
  value: string
  /** The main search of the page: the key `/` moves the focus to it. */
  isMain?: boolean
  /** `isFirst`: the first change since the field got the focus. Later ones replace it in the history. */
  onValue(value: string, isFirst: boolean): void
}

const DEBOUNCE_MS = 150

/** Keeps the typed text in its own state, so that a keystroke renders nothing else. */
export function FilterInput({ label, value, isMain = false, onValue, ...props }: FilterInputProps) {
  const [text, setText] = useState(value)
  const reported = useRef(value)
  const isTyping = useRef(false)
  const input = useRef<HTMLInputElement>(null)

  useEffect(() => {
    // The URL has changed for another reason, for example by the back button.
    if (value !== reported.current) setText(value)
    reported.current = value
  }, [value])

  useEffect(() => {
    const trimmed = text.trim()
    if (trimmed === reported.current) return
    const timer = setTimeout(() => {
      reported.current = trimmed
      onValue(trimmed, !isTyping.current)
      isTyping.current = true
    }, DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [text, onValue])

  const focusInput = () => {
    input.current?.select()
    input.current?.focus()
  }
  useKey('/', isMain ? focusInput : undefined)

  const clear = () => {
    setText('')
    input.current?.focus()
  }
  return (
    <TextInput
      ref={input}
      type="search"
      aria-label={label}
      placeholder={label}
      dir="auto"
      maxLength={MAX_FILTER_LENGTH}
      aria-keyshortcuts={isMain ? '/' : undefined}
      rightSection={
        text !== '' && (
          <CloseButton size="sm" aria-label={fill(common.clearNamed, { label })} onClick={clear} />
        )
      }
      {...props}
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={() => {
        isTyping.current = false
      }}
    />
  )
}

interface FilterPillProps {
  /** The kind of filter, such as “Folder”. */
  label: string
  clearLabel: string
  onClear(): void
  children: string
}

/** Shows an active filter, with a button to remove it. */
export function FilterPill({ label, clearLabel, onClear, children }: FilterPillProps) {
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed">
        {fill(common.filterLabel, { label })}
      </Text>
      <Pill
        size="md"
        withRemoveButton
        removeButtonProps={{ 'aria-label': clearLabel, tabIndex: 0, 'aria-hidden': false }}
        onRemove={onClear}
      >
        <bdi dir="auto">{children}</bdi>
      </Pill>
    </Group>
  )
}
