import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'

interface Change {
  /** Whether the back button skips what was before. */
  replace?: boolean
}

/** What of a list is looked at lives in the address bar: back, forward, reload and bookmarks do what they should. */
export function useAddressQuery<Query extends { page: number }>(
  read: (search: string) => Query,
  addressOf: (query: Query) => string,
) {
  const search = useSearch()
  const [, navigate] = useLocation()
  const query = useMemo(() => read(search), [read, search])
  const change = useCallback(
    (changes: Partial<Query>, { replace = false }: Change = {}) => {
      // Another selection begins at its first page.
      const now = { ...read(window.location.search), page: 1 }
      navigate(addressOf({ ...now, ...changes }), { replace })
    },
    [read, addressOf, navigate],
  )
  return { query, change }
}
