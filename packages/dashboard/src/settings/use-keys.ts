import { useQuery } from '@tanstack/react-query'
import { useClient } from '../session/session.tsx'

export function useKeys({ enabled }: { enabled: boolean }) {
  const client = useClient()
  return useQuery({ queryKey: ['keys'], queryFn: ({ signal }) => client.keys({ signal }), enabled })
}
