import type { AccountData } from '../database/account-data.ts'
import type { Database } from '../database/database.ts'
import type { EngineUnavailable } from '../domain/errors.ts'
import type { Storage } from '../storage/storage.ts'

type EngineName = EngineUnavailable['engine']

/** A call of a port. */
export interface Call {
  engine: EngineName
  method: string
  startedAt: number
}

/** Sees every call of the ports that returns a promise. */
export interface CallWatch {
  begin(engine: EngineName, method: string): Call
  end(call: Call, error?: unknown): void
  /** For a call that returned no promise: it does not count. */
  drop(call: Call): void
  /** The engines whose calls take too long at the moment, each with a description. */
  listSlow(): { engine: EngineName; text: string }[]
}

interface CallWatchOptions {
  /** Called when a call has ended. */
  onCall?: ((call: Call, ms: number, error: unknown) => void) | undefined
  warn(facts: object, message: string): void
  inform(facts: object, message: string): void
  /** In milliseconds, from any start. */
  now?: () => number
}

/** A call that takes longer is slow. */
export const SLOW_MS = 2_000
/** Calls whose time depends on the size of a file or of the service, or that wait on purpose. */
const LONG_CALLS =
  /^(completeUpload|closeUpload|abortUpload|removeObject|compare|recount|repair|trim|forget|reserveDiskSpace|bindStorage|close$|drain$)/
const LONG_MS = 60_000
/** One slow call may be chance. */
const SLOW_CALLS = 3
/** An engine is no longer slow when it had no slow call for this time. Also the pause between two lines of the log. */
const RECENT_MS = 60_000

interface EngineState {
  /** When the last slow calls ended. */
  slowEnds: number[]
  /** What the last one was. */
  last: string
  isSlow: boolean
  loggedAt: number
}

/** Logs slow calls, at most once a minute for each engine, and when they are over. */
export function watchCalls({
  onCall,
  warn,
  inform,
  now: readTime = () => performance.now(),
}: CallWatchOptions): CallWatch {
  /** In the order of their start. */
  const running = new Set<Call>()
  const states = new Map<EngineName, EngineState>()

  function stateOf(engine: EngineName): EngineState {
    const state = states.get(engine) ?? {
      slowEnds: [],
      last: '',
      isSlow: false,
      loggedAt: -Infinity,
    }
    states.set(engine, state)
    return state
  }

  function noteSlow({ engine, method }: Call, ms: number, now: number): void {
    const state = stateOf(engine)
    state.slowEnds = [...state.slowEnds, now].slice(-SLOW_CALLS)
    state.last = `${method} took ${formatMs(ms)}`
    if (now - state.loggedAt < RECENT_MS) return
    state.loggedAt = now
    state.isSlow = true
    warn({ engine, call: method, ms: Math.round(ms) }, `a call of the ${engine} was slow`)
  }

  function isRecentlySlow({ slowEnds }: EngineState, now: number): boolean {
    return slowEnds.length === SLOW_CALLS && now - (slowEnds[0] ?? 0) < RECENT_MS
  }

  return {
    begin(engine, method) {
      const call = { engine, method, startedAt: readTime() }
      running.add(call)
      return call
    },

    end(call, error) {
      running.delete(call)
      const now = readTime()
      const ms = now - call.startedAt
      onCall?.(call, ms, error)
      if (ms > limitOf(call)) return noteSlow(call, ms, now)
      const state = states.get(call.engine)
      if (state?.isSlow && now - (state.slowEnds.at(-1) ?? 0) > RECENT_MS) {
        state.isSlow = false
        inform({ engine: call.engine }, `calls of the ${call.engine} are no longer slow`)
      }
    },

    drop: (call) => void running.delete(call),

    listSlow() {
      const now = readTime()
      const slow = new Map<EngineName, string>()
      for (const [engine, state] of states) {
        if (isRecentlySlow(state, now)) slow.set(engine, state.last)
      }
      for (const call of running) {
        const ms = now - call.startedAt
        if (ms <= SLOW_MS) break
        if (ms <= limitOf(call) || slow.has(call.engine)) continue
        slow.set(call.engine, `${call.method} has been running for ${formatMs(ms)}`)
      }
      return [...slow].map(([engine, text]) => ({ engine, text: `the ${engine} is slow: ${text}` }))
    },
  }
}

function limitOf({ method }: Call): number {
  return LONG_CALLS.test(method) ? LONG_MS : SLOW_MS
}

function formatMs(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

/** The same engines. The watch sees their calls. */
export function observeEngines<Engines extends { database: Database; storage: Storage }>(
  engines: Engines,
  watch: CallWatch,
): Engines {
  const { database, storage } = engines
  /** The engine keeps the data of an account for the next call. */
  const known = new WeakMap<object, AccountData>()
  function of(...args: Parameters<Database['of']>): AccountData {
    const data = database.of(...args)
    const observed = known.get(data) ?? observe(data, 'database', watch)
    known.set(data, observed)
    return observed
  }
  return {
    ...engines,
    database: observe(database, 'database', watch, { of }),
    storage: observe(storage, 'storage', watch),
  }
}

/** A method is wrapped when it is first used: an account has more than a hundred. */
function observe<Port extends object>(
  port: Port,
  engine: EngineName,
  watch: CallWatch,
  own: Partial<Port> = {},
): Port {
  const methods = new Map<string | symbol, unknown>(Object.entries(own))
  return new Proxy(port, {
    get(target, name) {
      const known = methods.get(name)
      if (known !== undefined) return known
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      const method = observeMethod(value.bind(target), { engine, name: String(name), watch })
      methods.set(name, method)
      return method
    },
  })
}

type Method = (...args: unknown[]) => unknown

function observeMethod(
  method: Method,
  { engine, name, watch }: { engine: EngineName; name: string; watch: CallWatch },
): Method {
  return (...args) => {
    const call = watch.begin(engine, name)
    let result: unknown
    try {
      result = method(...args)
    } catch (error) {
      watch.end(call, error)
      throw error
    }
    if (!(result instanceof Promise)) {
      watch.drop(call)
      return result
    }
    return result.then(
      (value) => {
        watch.end(call)
        return value
      },
      (error: unknown) => {
        watch.end(call, error)
        throw error
      },
    )
  }
}
