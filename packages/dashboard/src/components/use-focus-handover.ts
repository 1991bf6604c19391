import { type RefObject, useLayoutEffect, useRef } from 'react'
import { focusPage } from './focus-page.ts'

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
