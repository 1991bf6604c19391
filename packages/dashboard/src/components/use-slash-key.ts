import { type RefObject, useEffect } from 'react'

/** Elements in which a slash is text, or in which the focus must stay. */
const KEEPS_FOCUS = 'input, textarea, select, [contenteditable], [role=dialog], [role=menu]'

/** Makes the key `/` move the focus to the input, with its text selected. */
export function useSlashKey(isActive: boolean, input: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    if (!isActive) return
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event
      if (key !== '/' || ctrlKey || metaKey || altKey) return
      if (target instanceof Element && target.closest(KEEPS_FOCUS) !== null) return
      // Otherwise the slash is typed into the field, or Firefox opens its own search.
      event.preventDefault()
      input.current?.select()
      input.current?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isActive, input])
}
