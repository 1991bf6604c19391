import { useLayoutEffect, useRef } from 'react'
import { type ListPath, RETURN_STATE, readListPosition } from './list-position.ts'

/** When the user returns to a list by a link, scrolls it to its previous position once it is loaded. */
export function useRestoredScroll(list: ListPath, isLoaded: boolean): void {
  const isDone = useRef(false)
  useLayoutEffect(() => {
    if (!isLoaded || isDone.current) return
    isDone.current = true
    if (history.state?.isReturn !== RETURN_STATE.isReturn) return
    scrollTo({ top: readListPosition(list)?.top ?? 0, behavior: 'instant' })
    // Otherwise a reload would scroll there again.
    history.replaceState(null, '')
  }, [list, isLoaded])
}
