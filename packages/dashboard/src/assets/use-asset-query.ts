import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { type AssetQuery, assetsAddress, readAssetQuery } from './asset-query.ts'

interface Change {
  /** Whether the back button skips what was before. */
  replace?: boolean
}

/** The address bar is where it lives, so that back, forward, reload and a bookmark do what they should. */
export function useAssetQuery() {
  const search = useSearch()
  const [, navigate] = useLocation()
  const query = useMemo(() => readAssetQuery(search), [search])
  const change = useCallback(
    (changes: Partial<AssetQuery>, { replace = false }: Change = {}) => {
      // Another selection begins at its first page.
      const now = readAssetQuery(window.location.search)
      navigate(assetsAddress({ ...now, page: 1, ...changes }), { replace })
    },
    [navigate],
  )
  return { query, change }
}
