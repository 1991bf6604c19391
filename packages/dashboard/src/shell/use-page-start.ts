import { useEffect, useRef } from 'react'
import { focusPage } from '../components/focus-page.ts'

/**
 * A new page starts at its top, both for scrolling and for the focus of the keyboard. The browser
 * restores the scroll position when people go back.
 */
export function usePageStart(path: string): void {
  const previous = useRef(path)

  useEffect(() => {
    const toTop = () => scrollTo({ top: 0, behavior: 'instant' })
    // The router dispatches this event.
    addEventListener('pushState', toTop)
    return () => removeEventListener('pushState', toTop)
  }, [])

  useEffect(() => {
    if (previous.current === path) return
    previous.current = path
    focusPage()
  }, [path])
}
