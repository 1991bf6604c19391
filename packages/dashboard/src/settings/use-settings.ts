import { createClient, isStowageError } from '@stowage/client'
import { useQuery } from '@tanstack/react-query'
import { useClient } from '../session/session.tsx'

export function useKeys({ enabled }: { enabled: boolean }) {
  const client = useClient()
  return useQuery({ queryKey: ['keys'], queryFn: ({ signal }) => client.keys({ signal }), enabled })
}

/** Whether the service answers those without a key: a key that somebody has says nothing of that. */
export function useIsOpen() {
  return useQuery({
    queryKey: ['is-open'],
    async queryFn({ signal }) {
      try {
        await createClient({ baseUrl: location.origin }).account({ signal })
        return true
      } catch (error) {
        if (isStowageError(error, 'unauthenticated')) return false
        throw error
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}
