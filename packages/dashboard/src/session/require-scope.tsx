import type { Account } from '@stowage/client'
import type { ReactNode } from 'react'
import { useAccount } from './use-account.ts'

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
