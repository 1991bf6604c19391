import { useQuery } from '@tanstack/react-query'
import { readSession } from './session-calls.ts'

/** The key that the user is signed in with, and when the session ends. */
export function useSignedIn() {
  return useQuery({
    queryKey: ['session'],
    queryFn: ({ signal }) => readSession(signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
}
