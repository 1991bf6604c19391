import { type Client, createClient, isStowageError } from '@stowage/client'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { notify } from '../components/notifications.tsx'
import { isUnreachable } from '../components/reachable.ts'
import { isServiceDown, watchedFetch } from '../components/service.ts'
import { errorText } from '../format.ts'
import { session as texts } from '../i18n/en/session.ts'
import { reloadAfterRunningLoads } from '../live-updates.ts'
import { type QueryKey, queryKeys } from '../query-keys.ts'
import { signOut } from './session-calls.ts'
import { SignIn } from './sign-in.tsx'

const RECOVER_MS = 5_000

interface Session {
  /** Uses the session cookie, which the browser adds to every request to the service. */
  client: Client
  signOut(): Promise<void>
}

const SessionContext = createContext<Session | undefined>(undefined)

/** `ended`: the service rejected a session that was valid until then. */
type Status = 'open' | 'signed-out' | 'ended'

/** Shows the sign-in form when the service requires a key, and the app otherwise. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [status, setStatus] = useState<Status>('open')
  // Data of one session is never shown in the next, which may belong to another account.
  const [sessionNumber, setSessionNumber] = useState(0)
  const channel = useRef<SessionChannel>(undefined)

  // biome-ignore lint/correctness/useExhaustiveDependencies: each session has its own queries
  const { session, queries } = useMemo(() => {
    const queries = openQueries((wasSignedIn) => setStatus(wasSignedIn ? 'ended' : 'signed-out'))
    const client = createClient({ baseUrl: location.origin, fetch: watchedFetch })
    const leave = async () => {
      try {
        await signOut()
        channel.current?.announce('signed-out')
        setStatus('signed-out')
      } catch (error) {
        notify({ isError: true, title: texts.signOutFailed, message: errorText(error) })
      }
    }
    return { session: { client, signOut: leave }, queries }
  }, [sessionNumber])

  // Pages without requests of their own must show the sign-in form too.
  useEffect(() => {
    const { client } = session
    if (status !== 'open') return
    void queries.prefetchQuery({ queryKey: queryKeys.account(), queryFn: () => client.account() })
  }, [status, queries, session])

  // A late response to the previous session must not end this one.
  useEffect(() => () => void queries.cancelQueries(), [queries])

  useEffect(() => {
    const enter = () => {
      setSessionNumber((before) => before + 1)
      setStatus('open')
    }
    const opened = openSessionChannel((event) =>
      event === 'signed-in' ? enter() : setStatus('signed-out'),
    )
    channel.current = opened
    return () => opened.close()
  }, [])

  if (status !== 'open') {
    const onSignedIn = () => {
      channel.current?.announce('signed-in')
      setSessionNumber((before) => before + 1)
      setStatus('open')
    }
    return <SignIn hasEnded={status === 'ended'} onSignedIn={onSignedIn} />
  }
  return (
    <SessionContext value={session}>
      {/* The key remounts all pages, because they keep reading from the queries that they started with. */}
      <QueryClientProvider key={sessionNumber} client={queries}>
        {children}
      </QueryClientProvider>
    </SessionContext>
  )
}

declare module '@tanstack/react-query' {
  // Makes keys of another form than those of query-keys.ts an error of the compiler, in every query and filter.
  interface Register {
    queryKey: QueryKey
  }
}

function openQueries(onUnauthenticated: (wasSignedIn: boolean) => void): QueryClient {
  const onError = (error: unknown) => {
    if (!isStowageError(error, 'unauthenticated')) return
    onUnauthenticated(queries.getQueryData(queryKeys.account()) !== undefined)
  }
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // The client has its own retry policy. While the whole service is down, queries wait instead of failing, and
      // everything is loaded again once it responds.
      queries: {
        retry: (_count, error) => isServiceDown() && isUnreachable(error),
        staleTime: 5_000,
        networkMode: 'online',
        refetchOnReconnect: 'always',
        // A page recovers automatically from failures of some calls only.
        refetchInterval: ({ state }) => isUnreachable(state.error) && RECOVER_MS,
      },
      mutations: { networkMode: 'always' },
    },
  })
  reloadAfterRunningLoads(queries)
  return queries
}

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('useSession is called outside of SessionProvider')
  return session
}

export function useClient(): Client {
  return useSession().client
}

const CHANNEL = 'stowage.session'

type SessionEvent = 'signed-in' | 'signed-out'

interface SessionChannel {
  /** Notifies the other tabs of this browser, but not this one. */
  announce(event: SessionEvent): void
  close(): void
}

/** Calls the listener when the user signs in or out in another tab. */
function openSessionChannel(listener: (event: SessionEvent) => void): SessionChannel {
  // One channel for both directions: a channel does not receive its own messages.
  const channel = new BroadcastChannel(CHANNEL)
  channel.onmessage = ({ data }: MessageEvent<SessionEvent>) => listener(data)
  return {
    announce: (event) => channel.postMessage(event),
    close: () => channel.close(),
  }
}
