import { useCallback } from 'react'

/** Writes the height of an element to a CSS property of the page for as long as the element is rendered. */
export function useHeightProperty(name: '--tray-height' | '--selection-height') {
  return useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return
      const { style } = document.documentElement
      const observer = new ResizeObserver(() => {
        style.setProperty(name, `${element.offsetHeight}px`)
      })
      observer.observe(element)
      return () => {
        observer.disconnect()
        style.removeProperty(name)
      }
    },
    [name],
  )
}
