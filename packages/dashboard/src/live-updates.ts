import { type Client, isStowageError, type StowageEvent } from '@stowage/client'
import type { InvalidateOptions, Query, QueryClient } from '@tanstack/react-query'
import { affects, queryKeys } from './query-keys.ts'

/** However many events arrive, data is loaded again at most this often. */
const INTERVAL_MS = 500
/** Never gives up: the page connects again as soon as the service responds. */
const RETRY = { giveUpAfterMs: Number.POSITIVE_INFINITY }

/**
 * Loads the data of open pages again when someone has changed it. Hidden tabs do not listen: browsers allow only six
 * connections to a service over HTTP/1.1. The returned function stops it.
 */
export function openLiveUpdates(client: Client, queries: QueryClient): () => void {
  let listening: AbortController | undefined
  let lastId: number | undefined
  let events: StowageEvent[] = []

  const refresh = coalesce(() => {
    const changed = events
    events = []
    const predicate = ({ queryKey }: Query) => affects(changed, queryKey)
    // Loads continue, so that a slow one also ends while events keep arriving.
    void queries.invalidateQueries({ predicate }, { cancelRefetch: false })
  }, INTERVAL_MS)

  async function listen(signal: AbortSignal): Promise<void> {
    try {
      const onOpen = (after: number) => {
        // Something may have changed since the data was loaded.
        if (lastId === undefined) void queries.invalidateQueries({ predicate: hasNotFailed })
        lastId = after
      }
      for await (const event of client.events({ after: lastId, signal, retry: RETRY, onOpen })) {
        lastId = event.id
        events.push(event)
        refresh()
      }
    } catch (error) {
      // The session has ended. Loading the account fails too, which opens the sign-in form.
      if (isStowageError(error, 'unauthenticated')) {
        return queries.invalidateQueries({ queryKey: queryKeys.account() })
      }
      // The position is too old, or from before a restored backup. Other requests report all other failures.
      if (!isStowageError(error) || !/^events_/.test(error.code)) return
      lastId = undefined
      return listen(signal)
    }
  }

  function onVisibility(): void {
    listening?.abort()
    listening = new AbortController()
    if (!document.hidden) void listen(listening.signal)
  }

  document.addEventListener('visibilitychange', onVisibility)
  onVisibility()
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    listening?.abort()
    refresh.cancel()
  }
}

/** When the stream opens, data that could not be loaded is not loaded again: its page offers to try again. */
function hasNotFailed({ state }: Query): boolean {
  return state.data !== undefined || state.fetchStatus !== 'idle'
}

/**
 * Makes `invalidateQueries` complete: data that is being loaded at that moment is loaded again afterwards. The service
 * may have read it before the change, and the cache joins such a load instead of starting another.
 */
export function reloadAfterRunningLoads(queries: QueryClient): void {
  const invalidate = queries.invalidateQueries.bind(queries)
  const waiting = new Map<Query, Promise<void>>()

  async function reload(query: Query, options: InvalidateOptions): Promise<void> {
    await query.promise?.catch(() => {
      // The page that shows the data reports it.
    })
    waiting.delete(query)
    if (hasNotFailed(query)) await invalidate({ predicate: (it) => it === query }, options)
  }

  queries.invalidateQueries = async (filters, options = {}) => {
    const loads = queries.getQueryCache().findAll(filters).filter(isJoined)
    function isJoined(query: Query): boolean {
      // The cache cancels a load and starts another only for data that a page shows.
      const isReplaced = query.state.data !== undefined && query.isActive()
      const isCancelled = isReplaced && options.cancelRefetch !== false
      return query.state.fetchStatus !== 'idle' && !isCancelled
    }
    for (const query of loads) {
      if (!waiting.has(query)) waiting.set(query, reload(query, options))
    }
    await Promise.all([invalidate(filters, options), ...loads.map((query) => waiting.get(query))])
  }
}

/** The events of one change arrive together. */
const FIRST_MS = 100

interface Coalesced {
  (): void
  cancel(): void
}

/** Returns a function that calls `run` soon, but at most once per interval, however often it is called. */
export function coalesce(run: () => void, intervalMs: number): Coalesced {
  let timer: ReturnType<typeof setTimeout> | undefined
  let nextAt = 0
  const call = () => {
    timer ??= setTimeout(
      () => {
        timer = undefined
        nextAt = Date.now() + intervalMs
        run()
      },
      Math.max(FIRST_MS, nextAt - Date.now()),
    )
  }
  return Object.assign(call, { cancel: () => clearTimeout(timer) })
}
