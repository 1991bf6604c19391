import type { Asset } from '@stowage/client'
import { useQuery } from '@tanstack/react-query'
import { isUnreachable } from '../components/is-unreachable.ts'
import { useClient } from '../session/session.tsx'
import { useHasChecksums } from '../session/use-has-checksums.ts'

/** The interval while the asset is being uploaded, and while the service cannot be reached. */
const REFETCH_MS = 3_000
/** A digest is known within a second or two, or much later: the interval grows from the first to the longest. */
const FIRST_REFETCH_MS = 1_000
const LONGEST_REFETCH_MS = 15_000

export function useAsset(id: string) {
  const client = useClient()
  const hasChecksums = useHasChecksums()
  return useQuery({
    queryKey: ['asset', id],
    queryFn: ({ signal }) => client.asset(id, { with_products: true, signal }),
    refetchInterval({ state: { data, error, dataUpdateCount } }) {
      if (data?.status === 'uploading' || isUnreachable(error)) return REFETCH_MS
      if (data === undefined || !hasChecksums || !isUnverified(data)) return false
      return Math.min(FIRST_REFETCH_MS * 1.5 ** dataUpdateCount, LONGEST_REFETCH_MS)
    },
  })
}

function isUnverified({ is_file, checksum, damaged }: Asset): boolean {
  return is_file && checksum === null && !damaged
}
