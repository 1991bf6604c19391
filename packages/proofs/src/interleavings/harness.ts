import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { Environment } from '@stowage/server/src/config/config'
import type { AccountData } from '@stowage/server/src/database/account-data'
import { openEventCheck } from '@stowage/server/src/database/contract/check-events'
import type { Database } from '@stowage/server/src/database/database'
import { openDatabase, openStorage } from '@stowage/server/src/engines/open-engines'
import { openSecretKey } from '@stowage/server/src/engines/secret-key'
import { bindStorage } from '@stowage/server/src/engines/storage-binding'
import { buildApp } from '@stowage/server/src/http/app'
import { hashKey } from '@stowage/server/src/operations/authentication'
import type { Context } from '@stowage/server/src/operations/context'
import { isUploadOpen } from '@stowage/server/src/operations/uploads/in-storage'
import { ADMIN_KEY, type Call, type TestAccount } from '@stowage/testing/service/accounts'
import { configOf } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { v7 as newUuid } from 'uuid'
import { CHUNK_SIZE, detailsOf } from '../model/commands.ts'

/**
 * The API and its engines without the job schedule: the test runs the jobs. Calls inside `runWithPoints`
 * pass points, at which the test can pause them.
 */
export interface Harness {
  /** The ports without points. */
  context: Context
  /** The offset of this instance's clock. */
  shift: { ms: number }
  /** Every ID that was generated. A test may empty the list. */
  issued: string[]
  account: TestAccount
  /** The IDs of the existing products, by variant. */
  products: Record<number, string>
  baseUrl: string
  runWithPoints<Result>(
    onPoint: OnPoint,
    work: () => Promise<Result>,
    on?: Context,
  ): Promise<Result>
  /** The ports for the current caller. Inside `runWithPoints`, they have points. */
  ports(): Context
  /** Fails unless the events lead to the state of the account. */
  checkEvents(): Promise<void>
  /** Does nothing if called again. */
  close(): Promise<void>
}

export const PLAN = 1e12
/** A test may replace `Date.now`, which is the clock of SQLite. */
const readSystemClock = Date.now

export async function openHarness(settings: Environment): Promise<Harness> {
  const config = configOf({ ...settings, STOWAGE_CHUNK_SIZE: String(CHUNK_SIZE) })
  const logger = pino({ level: 'silent' })
  const onFatal = (message: string) => {
    throw new Error(message)
  }
  const shift = { ms: 0 }
  const clock = () => new Date(readSystemClock() + shift.ms)
  const issued: string[] = []
  let isClosed = false
  const database = await openDatabase(config, { migrate: 'auto' })
  const storage = await openStorage({
    config,
    logger,
    clock,
    onFatal,
    isUploadOpen: (upload) => isUploadOpen(database, upload),
  })
  await bindStorage({ database, storage })
  const secretKey = await openSecretKey({ database, storage, configured: undefined })
  const account = { id: newUuid(), name: 'default', planName: 'default', createdAt: clock() }
  const { id } = await database.ensureAccount({ ...account, planStorage: PLAN })
  const { chunkSize, signedForMs, uploadsKeptForMs } = config
  const admin = { accountId: id, hash: hashKey(ADMIN_KEY) }
  const context: Context = {
    database,
    storage,
    clock,
    secretKey,
    newId() {
      const fresh = newUuid()
      issued.push(fresh)
      return fresh
    },
    randomBytes,
    instance: { id: newUuid(), name: 'harness', version: '0.0.0-test' },
    settings: {
      chunkSize,
      signedForMs,
      uploadsKeptForMs,
      keepVersions: 1,
      trashForMs: 30 * 24 * 3_600_000,
      // Longer than any test shifts a clock: `checkEvents` needs every event.
      eventsForMs: 100 * 365 * 24 * 3_600_000,
      eventsMaxBytes: undefined,
      downloadsForMs: 90 * 86_400_000,
      deliver: 'redirect',
      checksums: true,
      scrubEveryMs: 0,
      rateLimit: undefined,
      auth: { kind: 'keys', admin },
      webhookTargets: 'public',
    },
    health: { clock: undefined, failingJobs: new Set() },
    deliveries: new EventTarget(),
    mail: {
      mode: 'outbox',
      server: undefined,
      from: { name: null, address: 'files@example.com' },
      replyTo: null,
      noticesPerMinute: 60,
      baseUrl: () => 'http://localhost',
      queue: new EventTarget(),
    },
    async sendWebhook() {
      return { status: 204, durationMs: 1, error: null, response: '', retryAfter: null }
    },
    warn() {},
    noticeOutage() {},
  }

  const watching = new AsyncLocalStorage<Context>()
  const ports = () => watching.getStore() ?? context
  let baseUrl = ''
  const appOn = (contextOfApp: Context): FastifyInstance =>
    buildApp({
      context: contextOfApp,
      logger,
      baseUrl: () => baseUrl,
      version: '',
      dashboard: undefined,
      trustProxy: undefined,
    })
  // An injected request runs in the asynchronous context of its caller, and so uses the caller's ports.
  const app = appOn({
    ...context,
    get database() {
      return ports().database
    },
    get storage() {
      return ports().storage
    },
    get sendWebhook() {
      return ports().sendWebhook
    },
  })
  const call = callerOf(app)
  baseUrl = await app.listen({ host: '127.0.0.1', port: 0 })
  const key = { id: '', secret: ADMIN_KEY }
  const { body } = await call('PUT', `${API}/products`, { products: [detailsOf(1)] })
  return {
    products: { 1: body.data[0].id },
    context,
    shift,
    issued,
    account: { id, name: 'default', keys: { read: key, write: key, manage: key }, call },
    baseUrl,
    runWithPoints: (onPoint, work, on = context) => watching.run(watchPorts(on, onPoint), work),
    ports,
    checkEvents: openEventCheck(database, id),
    async close() {
      if (isClosed) return
      isClosed = true
      await app.close()
      await storage.close()
      await database.close()
    },
  }
}

/** Calls the API without a network, which would take most of the time. */
function callerOf(app: FastifyInstance): Call {
  return async (method, url, body, headers) => {
    const response = await app.inject({
      method: method as 'GET',
      url,
      headers: { Authorization: `Bearer ${ADMIN_KEY}`, ...headers },
      ...(body !== undefined && { payload: body as object }),
    })
    const isJson = String(response.headers['content-type']).startsWith('application/json')
    return {
      status: response.statusCode,
      headers: new Headers(response.headers as Record<string, string>),
      text: response.payload,
      body: isJson ? JSON.parse(response.payload) : response.payload,
    }
  }
}

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
