import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from 'react'

const FOCUSABLE = 'a[href], button, input, [tabindex="0"]'

/**
 * For an element that is removed while it has the focus. From a row of a table or list, the focus moves
 * to the same control of the next or previous row; from anything else, to the page. Without this,
 * browsers move it to the start of the document.
 */
export function useFocusHandover<Target extends HTMLElement>(): RefObject<Target | null> {
  const ref = useRef<Target>(null)
  useLayoutEffect(() => {
    const element = ref.current
    // React calls this before it removes the element from the document.
    return () => {
      const focused = document.activeElement
      if (!(focused instanceof HTMLElement) || !element?.contains(focused)) return
      const successor = findSuccessor(element, focused)
      if (successor === undefined) focusPage()
      else successor.focus({ preventScroll: true })
    }
  }, [])
  return ref
}

/** Counts controls from the end of the row, because only the last ones are in every row. */
function findSuccessor(row: HTMLElement, focused: HTMLElement): HTMLElement | undefined {
  if (!isRow(row)) return undefined
  const controls = controlsOf(row)
  const indexFromEnd = controls.indexOf(focused) - controls.length
  const neighbor = [row.nextElementSibling, row.previousElementSibling].find(isRow)
  return neighbor && controlsOf(neighbor).at(indexFromEnd)
}

function isRow(element: Element | null): element is HTMLElement {
  return element?.matches('tr, li') ?? false
}

function controlsOf(row: HTMLElement): HTMLElement[] {
  return Array.from(row.querySelectorAll<HTMLElement>(FOCUSABLE))
}

/**
 * When a dialog closes, returns the focus to the control that opened it. Unlike Mantine's own focus
 * return it does so before the list behind the dialog is loaded again, and moves the focus to the page
 * if the control no longer exists.
 */
export function useFocusReturn(isOpen: boolean): void {
  // Found during rendering: with reduced motion, a menu is removed together with its focused item before effects run.
  const opener = useMemo(() => (isOpen ? findOpener() : null), [isOpen])

  useEffect(() => {
    if (!isOpen) return
    return () => {
      if (opener?.isConnected) opener.focus({ preventScroll: true })
      else focusPage()
    }
  }, [isOpen, opener])
}

/** The focused control; for an item of a menu, the button of the menu, because the item disappears. */
function findOpener(): HTMLElement | null {
  const focused = document.activeElement
  const menuButtonId = focused?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  if (menuButtonId) return document.getElementById(menuButtonId)
  return focused instanceof HTMLElement ? focused : null
}

/** Elements in which a key is text, or in which the focus must stay. */
const KEEPS_KEYS =
  'input:not([type=checkbox]), textarea, select, [contenteditable], [role=dialog], [role=menu]'

/**
 * Calls the function when the key is pressed anywhere on the page, such as `Delete`, or `Ctrl+Enter` with ⌘ as an
 * alternative. Undefined: the key does nothing. The dialog that lists the keys is in shell/shortcuts.tsx.
 */
export function useKey(name: string, run: (() => void) | undefined): void {
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event
      const pressed = ctrlKey || metaKey ? `Ctrl+${key}` : key
      if (pressed !== name || altKey || latest.current === undefined) return
      if (target instanceof Element && target.closest(KEEPS_KEYS) !== null) return
      // Otherwise the key is also typed into the field that gets the focus, or Firefox opens its own search.
      event.preventDefault()
      latest.current()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [name])
}

/** Moves the focus to the start of the page, after the header and the navigation. */
export function focusPage(): void {
  document.querySelector('main')?.focus({ preventScroll: true })
}
