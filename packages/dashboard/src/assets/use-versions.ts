import type { Asset } from '@stowage/client'
import { useQuery } from '@tanstack/react-query'
import { useClient } from '../session/session.tsx'

/** The versions of a file that are kept, the highest number first. */
export function useVersions({ id, version, damaged }: Asset) {
  const client = useClient()
  return useQuery({
    // A list that lacks the current version or its damage is outdated.
    queryKey: ['versions', id, version, damaged],
    queryFn: ({ signal }) => client.versions(id, { signal }),
    placeholderData: (previous) => previous,
  })
}
