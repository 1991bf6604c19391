import { type Client, createClient, isStowageError } from '@stowage/client'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { SignIn } from './sign-in.tsx'
import { onKeyRemoved, readKey, removeKey, storeKey } from './stored-key.ts'

interface Session {
  client: Client
  /** Undefined if the service requires none. */
  apiKey: string | undefined
  signOut(): void
}

const SessionContext = createContext<Session | undefined>(undefined)

/** Shows the sign-in form when the service requires a key, and the app otherwise. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [apiKey, setKey] = useState(readKey)
  const [isRefused, setRefused] = useState(false)

  const { session, queries } = useMemo(() => {
    const onError = (error: unknown) => {
      if (isStowageError(error, 'unauthenticated')) setRefused(true)
    }
    const queries = new QueryClient({
      queryCache: new QueryCache({ onError }),
      mutationCache: new MutationCache({ onError }),
      defaultOptions: {
        // The client has its own retry policy. A service on this computer is reachable even while the
        // browser is offline.
        queries: {
          retry: false,
          staleTime: 5_000,
          networkMode: 'always',
          refetchOnReconnect: true,
        },
        mutations: { networkMode: 'always' },
      },
    })
    const client = createClient({ baseUrl: location.origin, apiKey })
    const signOut = () => {
      removeKey()
      setKey(undefined)
      setRefused(true)
    }
    return { session: { client, apiKey, signOut }, queries }
  }, [apiKey])

  // Pages without requests of their own must show the sign-in form too.
  useEffect(() => {
    const { client } = session
    void queries.prefetchQuery({ queryKey: ['account'], queryFn: () => client.account() })
  }, [queries, session])

  useEffect(() => {
    if (apiKey !== undefined) return onKeyRemoved(session.signOut)
  }, [apiKey, session])

  const signIn = (key: string, isRemembered: boolean) => {
    storeKey(key, { isRemembered })
    setKey(key)
    setRefused(false)
  }
  if (isRefused) return <SignIn hadKey={apiKey !== undefined} onKey={signIn} />
  return (
    <SessionContext value={session}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </SessionContext>
  )
}

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('useSession is called outside of SessionProvider')
  return session
}

export function useClient(): Client {
  return useSession().client
}
