import { useAccount } from './use-account.ts'

/** Whether the service computes the digests of files. False until it is known. */
export function useHasChecksums(): boolean {
  const { data } = useAccount()
  // A service of an earlier version does not report it.
  return data !== undefined && data.checksums !== false
}
