import { useQuery } from '@tanstack/react-query'
import { useClient } from '../session/session.tsx'

/** While it is still on its way, it is looked at again and again. */
const LOOK_AGAIN_MS = 3_000

export function useAsset(id: string) {
  const client = useClient()
  return useQuery({
    queryKey: ['asset', id],
    queryFn: ({ signal }) => client.asset(id, { with_products: true, signal }),
    refetchInterval: ({ state }) => state.data?.status === 'uploading' && LOOK_AGAIN_MS,
  })
}
