import type { Client } from '@stowage/client'
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

export function assetListPageOptions(client: Client, query: AssetQuery) {
  return queryOptions({
    queryKey: queryKeys.assetList(query),
    queryFn: ({ signal }) =>
      client
        .assets({ ...assetFilters(query), limit: PER_PAGE, with_products: true, signal })
        .page(query.page),
  })
}
