import { type RefObject, useEffect, useRef } from 'react'

/**
 * Whoever goes to another page begins at its top: with the eyes, and with the keyboard, whose focus
 * would be lost with what was clicked. The way back leads to where they were.
 */
export function useArrival(main: RefObject<HTMLElement | null>, path: string): void {
  const before = useRef(path)

  useEffect(() => {
    const toTop = () => scrollTo({ top: 0, behavior: 'instant' })
    // The router tells of what it pushes.
    addEventListener('pushState', toTop)
    return () => removeEventListener('pushState', toTop)
  }, [])

  useEffect(() => {
    if (before.current === path) return
    before.current = path
    main.current?.focus({ preventScroll: true })
  }, [main, path])
}
