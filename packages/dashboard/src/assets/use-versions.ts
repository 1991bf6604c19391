import type { Asset } from '@stowage/client'
import { useQuery } from '@tanstack/react-query'
import { useClient } from '../session/session.tsx'

/** The versions of a file that are kept, the highest number first. */
export function useVersions({ id, version, damaged }: Asset) {
  const client = useClient()
  return useQuery({
    // A list is outdated if it lacks the current version, or does not show that this version is damaged.
    queryKey: ['versions', id, version, damaged],
    queryFn: ({ signal }) => client.versions(id, { signal }),
    placeholderData: (previous) => previous,
  })
}
