import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useClient } from '../session/session.tsx'
import type { AssetQuery, Show } from './asset-query.ts'

const PER_PAGE = 50
const FILTERS: Record<Show, { type?: 'file' | 'link'; linked?: boolean }> = {
  all: {},
  files: { type: 'file' },
  links: { type: 'link' },
  unlinked: { linked: false },
}

/** The previous page stays until the next one is loaded. Outdated requests are aborted. */
export function useAssetPage({ search, show, sort, page }: AssetQuery) {
  const client = useClient()
  return useQuery({
    queryKey: ['assets', { search, show, sort, page }],
    queryFn: ({ signal }) =>
      client
        .assets({
          ...FILTERS[show],
          ...(search !== '' && { filename: search }),
          sort,
          limit: PER_PAGE,
          with_products: true,
          signal,
        })
        .page(page),
    placeholderData: keepPreviousData,
  })
}
