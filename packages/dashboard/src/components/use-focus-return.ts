import { useEffect, useLayoutEffect, useRef } from 'react'
import { focusPage } from './focus-page.ts'

/**
 * When a dialog closes, returns the focus to the control that opened it. Unlike Mantine's own focus
 * return it does so before the list behind the dialog is loaded again, and moves the focus to the page
 * if the control no longer exists.
 */
export function useFocusReturn(isOpen: boolean): void {
  const opener = useRef<HTMLElement | null>(null)

  // A layout effect, because the dialog takes the focus after it.
  useLayoutEffect(() => {
    if (isOpen) opener.current = findOpener()
  }, [isOpen])

  useEffect(() => {
    if (!isOpen) return
    return () => {
      if (opener.current?.isConnected) opener.current.focus({ preventScroll: true })
      else focusPage()
    }
  }, [isOpen])
}

/** The focused control; for an item of a menu, the button of the menu, because the item disappears. */
function findOpener(): HTMLElement | null {
  const focused = document.activeElement
  const menuButtonId = focused?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  if (menuButtonId) return document.getElementById(menuButtonId)
  return focused instanceof HTMLElement ? focused : null
}
