import { type Client, createClient, isStowageError } from '@stowage/client'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { SignIn } from './sign-in.tsx'
import { forgetKey, keepKey, onKeyForgotten, readKey } from './stored-key.ts'

interface Session {
  client: Client
  /** Undefined where the service asks for none. */
  apiKey: string | undefined
  signOut(): void
}

const SessionContext = createContext<Session | undefined>(undefined)

/** Whoever the service does not know is asked for a key; everybody else sees what is inside. */
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
        // The client itself tries again what is worth it. A service on this very machine is there also
        // while the browser has no line.
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
      forgetKey()
      setKey(undefined)
      setRefused(true)
    }
    return { session: { client, apiKey, signOut }, queries }
  }, [apiKey])

  // Whoever needs a key is asked for it on every page, also on one that calls nothing yet.
  useEffect(() => {
    const { client } = session
    void queries.prefetchQuery({ queryKey: ['account'], queryFn: () => client.account() })
  }, [queries, session])

  useEffect(() => {
    if (apiKey !== undefined) return onKeyForgotten(session.signOut)
  }, [apiKey, session])

  const signIn = (key: string, isRemembered: boolean) => {
    keepKey(key, { isRemembered })
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
  if (session === undefined) throw new Error('there is no session around this')
  return session
}

export function useClient(): Client {
  return useSession().client
}
