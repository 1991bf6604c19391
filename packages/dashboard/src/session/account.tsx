import type { Account } from '@stowage/client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { queryKeys } from '../query-keys.ts'
import { useClient } from './session.tsx'
import { readSession } from './session-calls.ts'

export function useAccount() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.account(),
    queryFn: ({ signal }) => client.account({ signal }),
  })
}

type Scope = Account['scope']

const SCOPES: readonly Scope[] = ['read', 'write', 'manage']

/** True until the scope of the key is known. The service checks every request anyway. */
export function useHasScope(needed: Scope): boolean {
  const { data } = useAccount()
  return data?.scope === undefined || SCOPES.indexOf(data.scope) >= SCOPES.indexOf(needed)
}

/** Hides controls that the key in use does not allow. */
export function RequireScope({ scope, children }: { scope: Scope; children: ReactNode }) {
  return useHasScope(scope) && children
}

/** Whether deleted assets stay in the trash. True until it is known. */
export function useHasTrash(): boolean {
  return useAccount().data?.trash_for !== 0
}

/** How many older versions of a file are kept. Undefined until it is known. */
export function useKeepVersions(): number | undefined {
  return useAccount().data?.keep_versions
}

/** Whether the service computes the digests of files. False until it is known. */
export function useHasChecksums(): boolean {
  return useAccount().data?.checksums ?? false
}

/** Whether the service is open, or the key is that of its settings. Undefined until it is known. */
export function useIsOperator(): boolean | undefined {
  const { data } = useSignedIn()
  return data && (data.key === null || data.key.id === null)
}

/** The key that the user is signed in with, and when the session ends. */
export function useSignedIn() {
  return useQuery({
    queryKey: queryKeys.session(),
    queryFn: ({ signal }) => readSession(signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
}
