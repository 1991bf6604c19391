import { EngineUnavailable } from '../../errors.ts'
import {
  CONNECT_TIMEOUT_MS,
  type Connection,
  openConnection,
  type PostgresOptions,
  type Sql,
} from './connection.ts'
import { isOutage } from './outages.ts'

export interface Pool {
  /**
   * Runs the work on a connection that no other work uses. Rejects with `EngineUnavailable` when no
   * connection becomes free, or the work does not end, within the timeout.
   */
  use<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>
  /** Waits for running work, and rejects new work. */
  close(): Promise<void>
}

/** Connects on demand, and replaces lost connections. */
export function openPool(options: PostgresOptions): Pool {
  // A server that accepts statements but does not respond is an outage, too.
  const timeoutMs = options.statementTimeoutMs + CONNECT_TIMEOUT_MS
  const idle = Array.from({ length: options.poolSize }, () => openConnection(options))
  const waiting = new Set<(connection: Connection) => void>()
  let isClosed = false
  let inUse = 0
  let onIdle: (() => void) | undefined

  async function take(): Promise<Connection> {
    // Takes the most recently used connection, so that few connections are open under low load.
    const connection = idle.pop()
    if (connection !== undefined) return usable(connection)
    const { promise, resolve } = Promise.withResolvers<Connection>()
    waiting.add(resolve)
    try {
      return await within(timeoutMs, promise)
    } finally {
      waiting.delete(resolve)
    }
  }

  function release(connection: Connection): void {
    const [next] = waiting
    if (next === undefined) {
      idle.push(connection)
      return
    }
    waiting.delete(next)
    next(usable(connection))
  }

  /** Replaces a lost connection. */
  function usable(connection: Connection): Connection {
    return connection.isLost() ? openConnection(options) : connection
  }

  return {
    async use(work) {
      if (isClosed)
        throw new EngineUnavailable('database', new Error('the connection pool is closed'))
      inUse += 1
      try {
        const connection = await take()
        try {
          return await within(timeoutMs, work(connection.sql))
        } catch (error) {
          // Not every outage is reported to the connection immediately.
          if (isOutage(error)) void connection.close()
          throw error
        } finally {
          release(connection)
        }
      } finally {
        inUse -= 1
        if (inUse === 0) onIdle?.()
      }
    },

    async close() {
      isClosed = true
      const isIdle = new Promise<void>((resolve) => {
        onIdle = resolve
      })
      if (inUse > 0) await isIdle
      await Promise.all(idle.map((connection) => connection.close()))
    },
  }
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
