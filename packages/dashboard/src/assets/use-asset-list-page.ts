import type { AssetPage, Client } from '@stowage/client'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'
import { type AssetQuery, assetFilters } from './asset-query.ts'

const PER_PAGE = 50

/** The previous page stays until the next one is loaded. Outdated requests are aborted. */
export function useAssetListPage(query: AssetQuery, { isEnabled = true } = {}) {
  const client = useClient()
  return useQuery({
    ...assetListPageOptions(client, query),
    placeholderData: keepPreviousData,
    enabled: isEnabled,
  })
}

/**
 * The `meta` of a page. If its total is not exact, all matches are counted meanwhile. That may take seconds in an
 * account with hundreds of thousands of assets.
 */
export function useExactMeta(
  query: AssetQuery,
  meta: AssetPage['meta'] | undefined,
): AssetPage['meta'] | undefined {
  const client = useClient()
  const isBounded = meta?.total_is_exact === false
  const { data } = useQuery({
    queryKey: queryKeys.assetList({ ...query, isExact: true }),
    queryFn: ({ signal }) =>
      client
        .assets({ ...assetFilters(query), limit: PER_PAGE, exact_total: true, signal })
        .page(query.page),
    enabled: isBounded,
  })
  return isBounded ? (data?.meta ?? meta) : meta
}

export function assetListPageOptions(client: Client, query: AssetQuery) {
  return queryOptions({
    queryKey: queryKeys.assetList(query),
    queryFn: ({ signal }) =>
      client
        .assets({ ...assetFilters(query), limit: PER_PAGE, with_products: true, signal })
        .page(query.page),
  })
}
