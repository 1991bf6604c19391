import type { Asset } from '@stowage/client'
import { useQuery } from '@tanstack/react-query'
import { useClient } from '../session/session.tsx'

/** The versions of a file that are kept, the highest number first. */
export function useVersions({ id, version }: Asset) {
  const client = useClient()
  return useQuery({
    // A list that lacks the current version is outdated.
    queryKey: ['versions', id, version],
    queryFn: ({ signal }) => client.versions(id, { signal }),
    placeholderData: (previous) => previous,
  })
}
