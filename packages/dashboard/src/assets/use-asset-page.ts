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

/** One page of them. While another is on its way the last one stays; what nobody waits for any more is stopped. */
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
