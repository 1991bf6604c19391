import type { AccountData } from '@stowage/server/src/database/account-data'
import type { Database } from '@stowage/server/src/database/database'
import type { Context } from '@stowage/server/src/operations/context'

/** Called with the name of each point. The call continues when the promise resolves. */
export type OnPoint = (point: string) => Promise<void>

/**
 * Calls that have no points. The calls of the first line belong to no operation. Those of the second line depend on no
 * data, so a pause after them is equivalent to a pause after the previous call.
 */
const NOT_WATCHED = [
  ...['findKey', 'touchKey', 'countRequest', 'close', 'check'],
  ...['readClock', 'signParts', 'signDownload'],
]

/** Calls of the storage that return an iterable. */
const ITERABLES = ['listUploads', 'listObjects', 'readPart']

/**
 * The same context with points: one before the first call of a port and one after each call. The engines
 * behind the ports are real.
 */
export function watchPorts(context: Context, onPoint: OnPoint): Context {
  let hasBegun = false
  async function begin(name: string): Promise<void> {
    if (hasBegun) return
    hasBegun = true
    await onPoint(`before ${name}`)
  }

  async function watch(name: string, call: () => Promise<unknown>): Promise<unknown> {
    await begin(name)
    try {
      return await call()
    } finally {
      await onPoint(`after ${name}`)
    }
  }

  async function* watchEach(name: string, items: AsyncIterable<unknown>): AsyncIterable<unknown> {
    await begin(name)
    for await (const item of items) {
      await onPoint(`after an item of ${name}`)
      yield item
    }
    await onPoint(`after ${name}`)
  }

  function watchPort<Port extends object>(port: Port, portName: string): Port {
    return new Proxy(port, {
      get(target, property, receiver) {
        const value = Reflect.get(target, property, receiver)
        if (typeof value !== 'function' || NOT_WATCHED.includes(String(property))) return value
        const name = `${portName}.${String(property)}`
        return (...args: unknown[]) => {
          const call = () => value.apply(target, args)
          if (property === 'of') return watchPort(call() as AccountData, 'data')
          if (property === 'describeObject' || property === 'isBusy') return call()
          const isIterable = ITERABLES.includes(String(property)) && portName === 'storage'
          return isIterable ? watchEach(name, call()) : watch(name, async () => call())
        }
      },
    })
  }

  return {
    ...context,
    database: watchPort<Database>(context.database, 'database'),
    storage: watchPort(context.storage, 'storage'),
  }
}
