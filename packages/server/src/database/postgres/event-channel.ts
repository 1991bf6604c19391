import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { EndedCredentialListener, EventListener } from '../event-data.ts'
import { createEventListeners, type Notice } from '../shared/event-listeners.ts'
import { type Connection, openConnection, type PostgresOptions } from './connection.ts'
import { ANY_ACCOUNT, type RunUnit } from './unit-of-work.ts'

const CHANNEL = 'stowage_events'
const LISTEN_TIMEOUT_MS = 10_000

interface ChannelTimes {
  /** How often readers look for new events while notifications arrive: an instance may be killed before it sends one. */
  checkMs: number
  /** The same while notifications do not arrive. */
  pollMs: number
  /** The longest time until the instance tries to listen again. */
  maxRetryMs: number
}

const TIMES: ChannelTimes = { checkMs: 5_000, pollMs: 1_000, maxRetryMs: 60_000 }

interface EventChannel {
  /** Wakes the readers of all instances. Call it after the commit. */
  announce(notices: Iterable<Notice>): void
  onEvents(listener: EventListener): () => void
  onEndedCredential(listener: EndedCredentialListener): () => void
  close(): Promise<void>
}

interface ChannelOptions {
  options: PostgresOptions
  /** Runs a statement on a connection of the pool. */
  run: RunUnit
  times?: ChannelTimes
}

/**
 * Wakes the readers of events by LISTEN and NOTIFY. Notifications are sent after the commit, not in the transaction of
 * the change: PostgreSQL commits transactions with NOTIFY one after another, each with its own disk sync. The listening
 * connection is opened for the first listener. The instance also notifies itself: if this notification does not arrive,
 * for example behind a pooler in transaction mode, the instance polls.
 */
export function openEventChannel({ options, run, times = TIMES }: ChannelOptions): EventChannel {
  const self = randomUUID()
  let stop: AbortController | undefined
  let running: Promise<unknown> | undefined
  const listeners = createEventListeners({
    onFirst() {
      stop = new AbortController()
      running = Promise.all([running, listenAndPoll(stop.signal)])
    },
    onLast: () => stop?.abort(),
  })
  const send = (notices: string) =>
    // Nothing is lost if the server crashes before it has written this commit to the disk.
    run(
      (sql) => sql`select set_config('synchronous_commit', 'off', true),
        pg_notify(${CHANNEL}, ${`${self}:${notices}`})`,
    )
  const notifier = createNotifier(send)

  function wake(notices: Notice[]): void {
    listeners.announce(notices.includes(ANY_ACCOUNT) ? undefined : notices)
  }

  async function listenAndPoll(signal: AbortSignal): Promise<void> {
    let retryMs = times.pollMs
    while (!signal.aborted) {
      const hasReceived = await listen(signal)
      retryMs = hasReceived ? times.pollMs : Math.min(2 * retryMs, times.maxRetryMs)
      for (let waited = 0; waited < retryMs && !signal.aborted; waited += times.pollMs) {
        listeners.announce(undefined)
        await sleep(times.pollMs, signal)
      }
    }
  }

  /**
   * Listens until the connection is lost, notifications stop arriving, or the signal is aborted. Returns whether it has
   * received any notification.
   */
  async function listen(signal: AbortSignal): Promise<boolean> {
    let hasReceivedSinceCheck = false
    let hasReceived = false
    const lost = new AbortController()
    const connection = openConnection(options, {
      onClose: () => lost.abort(),
      onNotify(_channel, payload) {
        const [sender, notices = ''] = payload.split(':')
        hasReceivedSinceCheck = true
        hasReceived = true
        // This instance has already called its own listeners.
        if (sender !== self && notices !== '') wake(notices.split(','))
      },
    })
    const close = () => void closeQuietly(connection)
    signal.addEventListener('abort', close, { once: true })
    // A server that accepts the connection but never responds must not keep this instance from polling.
    const timer = setTimeout(close, LISTEN_TIMEOUT_MS)
    try {
      await connection.sql`listen ${connection.sql(CHANNEL)}`
      clearTimeout(timer)
      const either = AbortSignal.any([signal, lost.signal])
      do {
        hasReceivedSinceCheck = false
        await send('').catch(() => {})
        await sleep(hasReceived ? times.checkMs : times.pollMs, either)
        listeners.announce(undefined)
      } while (hasReceivedSinceCheck && !either.aborted)
    } catch {
      // The database does not respond. The instance polls until it does.
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', close)
      await closeQuietly(connection)
    }
    return hasReceived
  }

  return {
    announce(given) {
      const notices = [...given]
      if (notices.length === 0) return
      wake(notices)
      notifier.announce(notices)
    },
    onEvents: listeners.onEvents,
    onEndedCredential: listeners.onEndedCredential,
    async close() {
      stop?.abort()
      await Promise.all([running, notifier.close()])
    },
  }
}

/** Ends early if the signal is aborted. Does not keep the process running. */
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal, ref: false }).catch(() => {})
}

async function closeQuietly(connection: Connection): Promise<void> {
  await connection.close().catch(() => {})
}

/** Changes within this time are announced together. */
const COALESCED_MS = 20
/** PostgreSQL limits the payload of NOTIFY to less than 8,000 bytes, into which 200 notices fit. */
const MAX_NOTICES = 200

interface Notifier {
  announce(notices: Iterable<Notice>): void
  /** Waits until everything is announced. */
  close(): Promise<void>
}

/**
 * Announces notices to the other instances, without delaying the changes: the first one at once,
 * and the following ones together. A failure is ignored, because the instances also poll.
 */
function createNotifier(send: (payload: string) => Promise<unknown>): Notifier {
  let pending = new Set<Notice>()
  let sending: Promise<void> | undefined

  async function sendAll(): Promise<void> {
    while (pending.size > 0) {
      const notices = pending.size > MAX_NOTICES ? [ANY_ACCOUNT] : [...pending]
      pending = new Set()
      await send(notices.join(',')).catch(() => {})
      await pause(COALESCED_MS)
    }
    sending = undefined
  }

  return {
    announce(notices) {
      for (const notice of notices) pending.add(notice)
      if (pending.size > 0) sending ??= sendAll()
    },
    async close() {
      await sending
    },
  }
}
