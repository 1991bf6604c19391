import type { Account } from '@stowage/client'
import type { ReactNode } from 'react'
import { useAccount } from './use-account.ts'

type Scope = Account['scope']

const SCOPES: readonly Scope[] = ['read', 'write', 'manage']

/** Until it is known, everything is taken as allowed: it is the service that refuses. */
export function useMay(needed: Scope): boolean {
  const { data } = useAccount()
  return data?.scope === undefined || SCOPES.indexOf(data.scope) >= SCOPES.indexOf(needed)
}

/** What the key in use may not do is not offered. */
export function May({ scope, children }: { scope: Scope; children: ReactNode }) {
  return useMay(scope) && children
}
