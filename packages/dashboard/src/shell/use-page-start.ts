import { useEffect, useRef } from 'react'
import { focusPage } from '../components/focus.ts'
import { type ListPath, RETURN_STATE, saveListPosition } from '../components/list-position.tsx'

const LISTS: readonly string[] = ['/', '/products'] satisfies ListPath[]

/**
 * A new page starts at its top, both for scrolling and for the focus of the keyboard. The browser
 * restores the scroll position when the user goes back. The position of a list is saved when the user
 * leaves it, for the links that return to it.
 */
export function usePageStart(path: string): void {
  const previous = useRef(path)

  useEffect(() => {
    let url = currentUrl()
    const onLeave = () => {
      const [list = ''] = url.split('?')
      if (LISTS.includes(list)) saveListPosition(list as ListPath, { url, top: scrollY })
      url = currentUrl()
    }
    const onPush = () => {
      onLeave()
      // A list restores its own scroll position when the user returns to it.
      if (history.state?.isReturn !== RETURN_STATE.isReturn)
        scrollTo({ top: 0, behavior: 'instant' })
    }
    const onReplace = () => {
      url = currentUrl()
    }
    // The router dispatches the first two.
    addEventListener('pushState', onPush)
    addEventListener('replaceState', onReplace)
    addEventListener('popstate', onLeave)
    return () => {
      removeEventListener('pushState', onPush)
      removeEventListener('replaceState', onReplace)
      removeEventListener('popstate', onLeave)
    }
  }, [])

  useEffect(() => {
    if (previous.current === path) return
    previous.current = path
    focusPage()
  }, [path])
}

function currentUrl(): string {
  return location.pathname + location.search
}
