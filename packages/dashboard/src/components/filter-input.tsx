import { CloseButton, TextInput, type TextInputProps } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { MAX_FILTER_LENGTH } from './url-query.ts'
import { useSlashKey } from './use-slash-key.ts'

interface Props extends Omit<TextInputProps, 'value' | 'onChange'> {
  label: string
  value: string
  /** The main search of the page: the key `/` moves the focus to it. */
  isMain?: boolean
  /** `isFirst`: the first change since the field got the focus. Later ones replace it in the history. */
  onValue(value: string, isFirst: boolean): void
}

const DEBOUNCE_MS = 150

/** Keeps the typed text in its own state, so that a keystroke renders nothing else. */
export function FilterInput({ label, value, isMain = false, onValue, ...props }: Props) {
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

  useSlashKey(isMain, input)

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
        text !== '' && <CloseButton size="sm" aria-label={`Clear: ${label}`} onClick={clear} />
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
