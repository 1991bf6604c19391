import { useQuery } from '@tanstack/react-query'
import { useClient } from './session.tsx'

export function useAccount() {
  const client = useClient()
  return useQuery({ queryKey: ['account'], queryFn: ({ signal }) => client.account({ signal }) })
}
