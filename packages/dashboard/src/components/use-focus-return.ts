import { useEffect, useMemo } from 'react'
import { focusPage } from './focus-page.ts'

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
