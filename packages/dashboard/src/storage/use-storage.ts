import { useQuery } from '@tanstack/react-query'
import { useClient } from '../session/session.tsx'

const LARGEST = 10

export function useUsage() {
  const client = useClient()
  return useQuery({
    queryKey: ['account', 'usage'],
    queryFn: ({ signal }) => client.usage({ signal }),
  })
}

export function useLargestFiles() {
  const client = useClient()
  return useQuery({
    queryKey: ['assets', 'largest'],
    queryFn: ({ signal }) =>
      client.assets({ type: 'file', sort: '-bytes', limit: LARGEST, signal }).page(1),
  })
}
