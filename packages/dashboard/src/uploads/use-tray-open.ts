import { useState } from 'react'

/**
 * Whether the tray shows its files. Once all uploads are done, it closes when the user opens another page, so that it
 * does not cover that page. New uploads open it again, unless the user has closed it.
 */
export function useTrayOpen({ isAllDone, path }: { isAllDone: boolean; path: string }) {
  const [state, setState] = useState({ isOpen: true, wasClosed: false, path })
  // Set while rendering, so that the next page never appears with the open tray.
  if (path !== state.path) {
    const closes = isAllDone && state.isOpen
    setState({ path, isOpen: state.isOpen && !closes, wasClosed: closes || state.wasClosed })
  } else if (!isAllDone && state.wasClosed) {
    setState({ path, isOpen: true, wasClosed: false })
  }
  return {
    isOpen: state.isOpen,
    toggle: () => setState({ path, isOpen: !state.isOpen, wasClosed: false }),
  }
}
