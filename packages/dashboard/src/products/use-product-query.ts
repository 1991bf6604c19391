import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { type ProductQuery, productsAddress, readProductQuery } from './product-query.ts'

interface Change {
  /** Whether the back button skips what was before. */
  replace?: boolean
}

/** The address bar is where it lives: back, forward, reload and bookmarks do what they should. */
export function useProductQuery() {
  const search = useSearch()
  const [, navigate] = useLocation()
  const query = useMemo(() => readProductQuery(search), [search])
  const change = useCallback(
    (changes: Partial<ProductQuery>, { replace = false }: Change = {}) => {
      const now = readProductQuery(window.location.search)
      // Another selection begins at its first page.
      navigate(productsAddress({ ...now, page: 1, ...changes }), { replace })
    },
    [navigate],
  )
  return { query, change }
}
