import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'

interface Change {
  /** Replaces the current entry in the browser's history. */
  replace?: boolean
}

/** Keeps the filters, order and page of a list in the URL, so that back, forward, reload and bookmarks work. */
export function useUrlQuery<Query extends { page: number }>(
  read: (search: string) => Query,
  urlOf: (query: Query) => string,
) {
  const search = useSearch()
  const [, navigate] = useLocation()
  const query = useMemo(() => read(search), [read, search])
  const change = useCallback(
    (changes: Partial<Query>, { replace = false }: Change = {}) => {
      // Another filter or order starts at the first page.
      const current = { ...read(window.location.search), page: 1 }
      navigate(urlOf({ ...current, ...changes }), { replace })
    },
    [read, urlOf, navigate],
  )
  return { query, change }
}
