import { CloseButton, TextInput, type TextInputProps } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { LONGEST_FILTER } from './url-query.ts'

interface Props extends Omit<TextInputProps, 'value' | 'onChange'> {
  label: string
  value: string
  /** `isFirst`: of those that people type in one go. The back button leads to before it. */
  onValue(value: string, isFirst: boolean): void
}

const TYPING_MS = 150

/** What is typed is kept here, so that nothing else is drawn for a letter. */
export function FilterInput({ label, value, onValue, ...props }: Props) {
  const [text, setText] = useState(value)
  const told = useRef(value)
  const isTyping = useRef(false)
  const input = useRef<HTMLInputElement>(null)

  useEffect(() => {
    // The address bar changed by itself.
    if (value !== told.current) setText(value)
    told.current = value
  }, [value])

  useEffect(() => {
    const wanted = text.trim()
    if (wanted === told.current) return
    const timer = setTimeout(() => {
      told.current = wanted
      onValue(wanted, !isTyping.current)
      isTyping.current = true
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [text, onValue])

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
      maxLength={LONGEST_FILTER}
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
