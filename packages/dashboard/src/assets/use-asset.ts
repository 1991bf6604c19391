import { useQuery } from '@tanstack/react-query'
import { isUnreachable } from '../components/is-unreachable.ts'
import { useClient } from '../session/session.tsx'

/** Applies while the asset is being uploaded, and while the service cannot be reached. */
const REFETCH_MS = 3_000

export function useAsset(id: string) {
  const client = useClient()
  return useQuery({
    queryKey: ['asset', id],
    queryFn: ({ signal }) => client.asset(id, { with_products: true, signal }),
    refetchInterval: ({ state }) =>
      (state.data?.status === 'uploading' || isUnreachable(state.error)) && REFETCH_MS,
  })
}
