import { createClient, isStowageError } from '@stowage/client'
import { useQuery } from '@tanstack/react-query'

/** Whether the service accepts requests without a key. Sends one without the key in use to find out. */
export function useOpenAccess() {
  return useQuery({
    queryKey: ['open-access'],
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
