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
   * Runs the work on a connection that nobody else has meanwhile. Fails with `EngineUnavailable`
   * when it takes too long, whether for want of a connection or of an answer.
   */
  use<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>
  /** Waits for what runs; nothing new is begun. */
  close(): Promise<void>
}

/** Connections are made when they are needed, and anew when one was lost. */
export function openPool(options: PostgresOptions): Pool {
  // A server that takes statements and is silent is an outage, too.
  const timeoutMs = options.statementTimeoutMs + CONNECT_TIMEOUT_MS
  const idle = Array.from({ length: options.poolSize }, () => openConnection(options))
  const waiting = new Set<(connection: Connection) => void>()
  let isClosed = false
  let inUse = 0
  let whenQuiet: (() => void) | undefined

  async function take(): Promise<Connection> {
    // The one that was used last, so that few are open when little is to do.
    const connection = idle.pop()
    if (connection !== undefined) return sound(connection)
    const { promise, resolve } = Promise.withResolvers<Connection>()
    waiting.add(resolve)
    try {
      return await within(timeoutMs, promise)
    } finally {
      waiting.delete(resolve)
    }
  }

  function giveBack(connection: Connection): void {
    const [next] = waiting
    if (next === undefined) {
      idle.push(connection)
      return
    }
    waiting.delete(next)
    next(sound(connection))
  }

  function sound(connection: Connection): Connection {
    return connection.isLost() ? openConnection(options) : connection
  }

  return {
    async use(work) {
      if (isClosed) throw new EngineUnavailable('database', new Error('it was closed'))
      inUse += 1
      try {
        const connection = await take()
        try {
          return await within(timeoutMs, work(connection.sql))
        } catch (error) {
          // Some are told only later that their connection is lost.
          if (isOutage(error)) void connection.close()
          throw error
        } finally {
          giveBack(connection)
        }
      } finally {
        inUse -= 1
        if (inUse === 0) whenQuiet?.()
      }
    },

    async close() {
      isClosed = true
      const quiet = new Promise<void>((resolve) => {
        whenQuiet = resolve
      })
      if (inUse > 0) await quiet
      await Promise.all(idle.map((connection) => connection.close()))
    },
  }
}

/** Fails with an outage when it takes longer. */
async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(tookTooLong(timeoutMs)), timeoutMs)
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}

function tookTooLong(timeoutMs: number): EngineUnavailable {
  return new EngineUnavailable('database', new Error(`no answer within ${timeoutMs} ms`))
}
