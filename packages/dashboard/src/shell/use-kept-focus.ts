import { type RefObject, useEffect } from 'react'

const FOCUSABLE = 'a[href], button, input, [tabindex="0"]'

/**
 * When what people stand on with the keyboard is gone, they go on from there: on the same button of the
 * next row, or else at the top of the page; behind a dialog, on what they came from; on a button that
 * was busy, once it is not. Browsers send them back to the very beginning.
 */
export function useKeptFocus(main: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const app = main.current?.closest('#app')
    let last = main.current
    /** The last one that is no dialog and no menu: these lie beside the app. */
    let place = last
    /** Not given away, as by a click on nothing. */
    let isTaken = false

    const note = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return
      isTaken = false
      last = target
      if (app?.contains(target)) place = target
    }
    const mend = (records: MutationRecord[]) => {
      for (const record of records) {
        const gone = Array.from(record.removedNodes).find((node) => node.contains(place))
        // What is only moved is in its new place already.
        if (gone === undefined || place === null || place.isConnected) continue
        place = findHeir(place, gone, record) ?? main.current
      }
      isTaken ||= last?.isConnected === false || last?.matches(':disabled') === true
      if (!isTaken || document.activeElement !== document.body) return
      const target = last?.isConnected ? last : (findInDialog() ?? place)
      target?.focus({ preventScroll: true })
    }

    const observer = new MutationObserver(mend)
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      attributeFilter: ['disabled'],
    })
    addEventListener('focusin', note)
    return () => {
      removeEventListener('focusin', note)
      observer.disconnect()
    }
  }, [main])
}

/** Counted from the end, as that is where the buttons are that every row has. */
function findHeir(
  place: HTMLElement,
  gone: Node,
  { nextSibling, previousSibling }: MutationRecord,
): HTMLElement | undefined {
  if (!isRow(gone)) return undefined
  const all = focusablesOf(gone)
  const fromEnd = all.indexOf(place) - all.length
  const near = [nextSibling, previousSibling].find(isRow)
  return near && focusablesOf(near).at(fromEnd)
}

function isRow(node: Node | null): node is HTMLElement {
  return node instanceof HTMLElement && node.matches('tr, li')
}

function focusablesOf(row: HTMLElement): HTMLElement[] {
  return Array.from(row.querySelectorAll<HTMLElement>(FOCUSABLE))
}

/** While one is open, nobody gets out of it by what changes inside. */
function findInDialog(): HTMLElement | null {
  const dialog = document.querySelector<HTMLElement>('[role=dialog]')
  return dialog?.querySelector<HTMLElement>('[data-autofocus]') ?? dialog
}
