import { EngineUnavailable } from '../../domain/errors.ts'
import { limitConcurrency } from '../../iterables/concurrency.ts'
import type { PoolLoad } from '../database.ts'
import {
  beginSnapshot,
  CONNECT_TIMEOUT_MS,
  type Connection,
  isOutage,
  openConnection,
  type PostgresOptions,
  type Sql,
  withServer,
} from './connection.ts'

/** The connections are shared fairly among parties. */
export interface PoolUse {
  /** An account, a key, or a kind of background work. */
  party: string
  /** A unit that may wait for a row lock is a write. */
  kind: 'read' | 'write'
}

export interface Pool {
  /**
   * Runs the work on a connection that no other work uses. Rejects with `EngineUnavailable` when no
   * connection becomes free, or the work does not end, within the timeout, and when too much work of the party waits.
   */
  use<Result>(use: PoolUse, work: (sql: Sql) => Promise<Result>): Promise<Result>
  readLoad(): PoolLoad
  /** Waits for running work, and rejects new work. */
  close(): Promise<void>
}

/**
 * Connects on demand, and replaces lost connections. A party uses only a part of the connections at the same time, so
 * that writes that wait for the row lock of one account, or long searches, leave connections for the others. Work that
 * has to wait is served party by party.
 */
export function openPool(options: PostgresOptions): Pool {
  // A server that accepts statements but does not respond is an outage, too.
  const timeoutMs = options.statementTimeoutMs + CONNECT_TIMEOUT_MS
  /** Undefined: not opened yet. Each connection is opened when it is needed, with the certificates of that time. */
  const idle = new Array<Connection | undefined>(options.poolSize).fill(undefined)
  const enter = openFairQueue(options.poolSize)
  let isClosed = false
  let inUse = 0
  let onIdle: (() => void) | undefined

  return {
    async use(use, work) {
      if (isClosed)
        throw new EngineUnavailable('database', new Error('the connection pool is closed'))
      inUse += 1
      try {
        const leave = await enter(use, timeoutMs)
        // Takes the most recently used connection, so that few connections are open under low load.
        let connection = idle.pop()
        try {
          // If this fails, the place in the pool is kept for the next attempt.
          if (connection === undefined || connection.isLost()) connection = openConnection(options)
          return await within(timeoutMs, work(connection.sql))
        } catch (error) {
          // Not every outage is reported to the connection immediately.
          if (isOutage(error)) void connection?.close()
          throw withServer(error, options.url)
        } finally {
          idle.push(connection)
          leave()
        }
      } finally {
        inUse -= 1
        if (inUse === 0) onIdle?.()
      }
    },

    readLoad() {
      const busy = options.poolSize - idle.length
      return { limit: options.poolSize, busy, waiting: Math.max(0, inUse - busy) }
    },

    async close() {
      isClosed = true
      const isIdle = new Promise<void>((resolve) => {
        onIdle = resolve
      })
      if (inUse > 0) await isIdle
      await Promise.all(idle.map((connection) => connection?.close()))
    },
  }
}

/**
 * One connection whose reads all see the snapshot of its first use. Work runs one after the other. If the connection is
 * lost, the snapshot is lost, and all further work fails.
 */
export function openSnapshotPool(options: PostgresOptions): Pool {
  const connection = openConnection(options)
  const inTurn = limitConcurrency(1)
  let begun: Promise<void> | undefined
  return {
    use: (_, work) =>
      inTurn(async () => {
        try {
          begun ??= beginSnapshot(connection.sql)
          await begun
          return await work(connection.sql)
        } catch (error) {
          throw withServer(error, options.url)
        }
      }),
    readLoad: () => ({ limit: 1, busy: 0, waiting: 0 }),
    close: () => connection.close(),
  }
}

/** How much work of one kind may wait for each party. */
const MAX_WAITING = 1000

/** The work of one kind for one party. */
interface Lane {
  kind: PoolUse['kind']
  running: number
  waiting: Set<() => void>
}

/**
 * Admits as much work at the same time as there are connections. A party has at most a third of them for writes and
 * half of them for reads. A fifth of all connections is never used for writes, because reads do not wait for row locks.
 */
function openFairQueue(connections: number) {
  const share = (part: number) => Math.max(1, Math.floor(connections * part))
  const limits = { read: share(1 / 2), write: share(1 / 3) }
  const all = { read: connections, write: Math.max(1, connections - share(1 / 5)) }
  const running = { read: 0, write: 0 }
  /** The lanes with work. Those that wait are served in turn: the one that was served moves to the end. */
  const lanes = new Map<string, Lane>()

  function mayRun({ kind, running: own }: Lane): boolean {
    const total = running.read + running.write
    return total < connections && running[kind] < all[kind] && own < limits[kind]
  }

  function start(lane: Lane): void {
    lane.running += 1
    running[lane.kind] += 1
  }

  function leave(key: string, lane: Lane): void {
    lane.running -= 1
    running[lane.kind] -= 1
    if (lane.running === 0 && lane.waiting.size === 0) lanes.delete(key)
    admitNext()
  }

  function admitNext(): void {
    for (const [key, lane] of lanes) {
      const [admit] = lane.waiting
      if (admit === undefined || !mayRun(lane)) continue
      lane.waiting.delete(admit)
      lanes.delete(key)
      lanes.set(key, lane)
      start(lane)
      admit()
      return
    }
  }

  /** Returns a function to call when the work has ended. */
  return async function enter({ party, kind }: PoolUse, timeoutMs: number): Promise<() => void> {
    const key = `${kind} ${party}`
    const lane = lanes.get(key) ?? { kind, running: 0, waiting: new Set() }
    lanes.set(key, lane)
    if (lane.waiting.size === 0 && mayRun(lane)) {
      start(lane)
      return () => leave(key, lane)
    }
    if (lane.waiting.size >= MAX_WAITING) throw tooManyWaiting()
    const { promise, resolve } = Promise.withResolvers<void>()
    lane.waiting.add(resolve)
    try {
      await within(timeoutMs, promise)
    } catch (error) {
      // It may have been admitted after the timeout, in the same turn of the event loop.
      if (!lane.waiting.delete(resolve)) leave(key, lane)
      else if (lane.running === 0 && lane.waiting.size === 0) lanes.delete(key)
      throw error
    }
    return () => leave(key, lane)
  }
}

function tooManyWaiting(): EngineUnavailable {
  return new EngineUnavailable(
    'database',
    new Error(`${MAX_WAITING} calls of one account already wait for a connection`),
  )
}

/** Rejects with an outage after the timeout. */
async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(timedOut(timeoutMs)), timeoutMs)
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}

function timedOut(timeoutMs: number): EngineUnavailable {
  return new EngineUnavailable('database', new Error(`no response within ${timeoutMs} ms`))
}
