import { useQuery } from '@tanstack/react-query'
import { useClient } from '../session/session.tsx'

/** Applies while the asset is being uploaded. */
const REFETCH_MS = 3_000

export function useAsset(id: string) {
  const client = useClient()
  return useQuery({
    queryKey: ['asset', id],
    queryFn: ({ signal }) => client.asset(id, { with_products: true, signal }),
    refetchInterval: ({ state }) => state.data?.status === 'uploading' && REFETCH_MS,
  })
}
