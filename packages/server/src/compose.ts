import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import type { Logger } from 'pino'
import {
  type AuthConfig,
  type Config,
  DEFAULT_PLAN_STORAGE,
  usesDataFolder,
} from './config/config.ts'
import type { SecretKey } from './crypto/secret-key.ts'
import { createUuids } from './crypto/uuid.ts'
import type { Account, Database } from './database/database.ts'
import type { ReportUpgrade } from './database/migrate.ts'
import type { OrphanHandling } from './doctor/doctor-context.ts'
import type { Finding } from './domain/finding.ts'
import {
  examineDatabase,
  examineStorage,
  type ListenerThread,
  listPendingMigrations,
  openDatabase,
  openStorage,
  openStorageContents,
  requireDatabase,
} from './engines/open-engines.ts'
import { openSecretKeyIfPossible } from './engines/secret-key.ts'
import { bindStorage, refuseUnfinishedMove } from './engines/storage-binding.ts'
import { openSchedule } from './jobs/schedule.ts'
import { examineMail } from './mail/examine.ts'
import { openSmtp } from './mail/smtp.ts'
import { observeEngines, watchCalls } from './metrics/calls.ts'
import type { Metrics } from './metrics/metrics.ts'
import { SHUTDOWN_TIMEOUT_MS, WAITING_CONNECTIONS } from './node-http/connections.ts'
import { createArchiveSource } from './operations/archives.ts'
import { hashKey } from './operations/authentication.ts'
import { createDownloadGuard } from './operations/buyers.ts'
import type { AuthSettings, Context, Health, Mailing } from './operations/context.ts'
import { recordDamage } from './operations/downloads.ts'
import { isUploadOpen } from './operations/uploads/in-storage.ts'
import type { Operator } from './operator/operator.ts'
import { lockDataFolder } from './process/data-folder.ts'
import { type OutageWatch, watchOutages } from './process/log.ts'
import type { OwnerSource, Storage } from './storage/storage.ts'
import { hostInUrl } from './text/host-in-url.ts'
import { openWebhookSender } from './webhook-sender/sender.ts'

export interface Service {
  baseUrl: string
  storageUrl: string
  /** Undefined unless the metrics have a port. */
  metricsUrl: string | undefined
  context: Context
  /** Stops the background jobs for good, and waits for their running steps. The API continues. */
  stopJobs(): Promise<void>
  /** Stops accepting requests, and waits for running requests, transfers and steps of jobs. */
  close(): Promise<void>
}

interface ServiceOptions {
  config: Config
  logger: Logger
  version: string
  /** The folder of the built web app, if there is one. */
  dashboard?: URL
  /** The thread of the disk storage, if it was started before. */
  listenerThread?: ListenerThread | undefined
  /** Called once with the opened engines. The whole service uses those that it returns. */
  wrapEngines?(engines: Engines): Engines
  /** Called when a part of the service has failed and cannot continue. */
  onFatal(message: string): void
}

export interface Engines {
  database: Database
  storage: Storage
}

/** Opens the configured database and storage, and serves the API. */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { config, logger } = options
  const closers: (() => Promise<void> | void)[] = []
  /** Closes in the reverse order of opening, so that each part is closed before the parts that it uses. */
  async function close(): Promise<void> {
    for (const closeOne of closers.splice(0).reverse()) await closeOne()
  }
  try {
    const usesFolder = usesDataFolder(config)
    const lock = usesFolder ? await lockDataFolder(config.dataDirectory) : undefined
    closers.push(() => lock?.close())
    // Both engines are opened in parallel, because the disk storage waits for its thread to start.
    let onDamage = (_key: string) => {}
    const { promise: source, resolve: setSource } = Promise.withResolvers<OwnerSource>()
    const openingStorage = openStorage({
      ...options,
      clock,
      onDamage: (key) => onDamage(key),
      source: lazySource(source),
      isUploadOpen: async (upload) => isUploadOpen(await openingDatabase, upload),
    })
    const openingDatabase = openDatabase(config, {
      migrate: config.migrate,
      report: (message, facts) => logger.info(facts, message),
    })
    const openings = [openingStorage, openingDatabase] as const
    for (const engine of openings) closers.push(() => engine.then(closeEngine, nothingToClose))
    const [openedStorage, openedDatabase, { buildApp }] = await Promise.all([
      ...openings,
      import('./http/app.ts'),
    ])
    const opened = { database: openedDatabase, storage: openedStorage }
    const wrapped = options.wrapEngines?.(opened) ?? opened
    const metrics = await startMetrics(options, wrapped)
    closers.push(() => metrics?.close())
    const watch = watchCalls({
      onCall: metrics?.onCall,
      warn: (facts, message) => logger.warn(facts, message),
      inform: (facts, message) => logger.info(facts, message),
    })
    const { database, storage } = observeEngines(wrapped, watch)
    refuseUnfinishedMove(await bindStorage({ database, storage }))
    const health: Health = {
      clock: undefined,
      failingJobs: new Set(),
      listSlow: () => watch.listSlow().map(({ text }) => text),
    }
    const keyPlaces = { database, storage, configured: config.secretKey }
    const secretKey = await openSecretKeyIfPossible(keyPlaces, (problem) => {
      health.secretKey = 'the key that encrypts the secrets of webhooks is missing or wrong'
      logger.error(`webhooks are not sent. ${problem}`)
    })
    const outages = watchOutages(logger, (engine) => context[engine].check())
    closers.push(() => outages.close())
    const engines = { database, storage, secretKey }
    let baseUrl = config.baseUrl ?? ''
    const mail = openMailing(config, () => baseUrl)
    closers.push(() => mail.server?.close())
    const { version } = options
    const parts = { config, logger, ...engines, outages, health, mail, version }
    const context = await composeContext(parts)
    setSource({ ...createArchiveSource(context), ...createDownloadGuard(context) })
    onDamage = (key) => void recordDamage(context, key)

    const app = buildApp({
      context,
      logger,
      baseUrl: () => baseUrl,
      version: options.version,
      dashboard: options.dashboard,
      trustProxy: config.trustProxy,
    })
    if (metrics !== undefined) {
      app.addHook('onResponse', (request, reply, done) => {
        const { method } = request
        const route = request.routeOptions.url ?? 'none'
        metrics.onRequest({ method, route, status: reply.statusCode, ms: reply.elapsedTime })
        done()
      })
    }
    await app
      .listen({ host: config.host, port: config.port, backlog: WAITING_CONNECTIONS })
      .catch(explainPort)
    const { port } = app.server.address() as AddressInfo
    baseUrl ||= `http://${hostInUrl(config.host)}:${port}`
    const schedule = openSchedule(context, { isAlone: usesFolder, onRun: metrics?.onJob })
    const stopJobs = () => schedule.close(SHUTDOWN_TIMEOUT_MS)
    // These are stopped at the same time: while one takes a long time to stop, the others must not accept new work.
    closers.push(async () => {
      await Promise.all([app.close(), storage.drain(), stopJobs()])
    })
    const holder = { pid: process.pid, name: baseUrl, since: context.clock() }
    await lock?.describe(holder).catch((error: unknown) => {
      context.warn('could not record which process holds the data folder', error)
    })
    return { baseUrl, storageUrl: storage.url, metricsUrl: metrics?.url, context, stopJobs, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Starts the listener of the metrics, if one is configured. */
async function startMetrics(
  { config, version }: ServiceOptions,
  engines: Engines,
): Promise<(Metrics & { url: string }) | undefined> {
  const { metricsPort: port, host } = config
  if (port === undefined) return
  const { openMetrics } = await import('./metrics/metrics.ts')
  const metrics = openMetrics({ version, engines })
  const actualPort = await metrics.listen({ host, port }).catch(explainPort)
  return { ...metrics, url: `http://${hostInUrl(host)}:${actualPort}/metrics` }
}

/** The storage is opened before the context that it asks. */
function lazySource(source: Promise<OwnerSource>): OwnerSource {
  return {
    open: async (...args) => (await source).open(...args),
    check: async (...args) => (await source).check(...args),
    readSegment: async (...args) => (await source).readSegment(...args),
    continueDownload: async (...args) => (await source).continueDownload(...args),
    keepCrc32: async (...args) => (await source).keepCrc32(...args),
  }
}

function closeEngine(engine: Storage | Database): Promise<void> {
  return engine.close()
}

/** An engine that failed to open needs no closing. Its error makes `openService` fail. */
function nothingToClose(): void {}

/**
 * Opens only the database, so that the commands work while the service runs. Throws if the database does not exist, or if
 * its migrations have not all run: the service may be an older version, which would not run on the migrated database.
 */
export async function openOperator(config: Config): Promise<Operator> {
  await requireDatabase(config)
  const database = await openDatabase(config, { migrate: 'off' })
  try {
    refuseUnfinishedMove(await database.readIdentity())
    const { createOperator } = await import('./operator/operator.ts')
    const ensureDefaultAccount = () => ensureAccount(database, config)
    return createOperator({ database, clock, newId, randomBytes }, ensureDefaultAccount)
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Creates or migrates the database. Returns the migrations that ran. */
export async function migrate(config: Config, report: ReportUpgrade): Promise<string[]> {
  const lock = usesDataFolder(config)
    ? await lockDataFolder(config.dataDirectory, { advice: 'then migrate its database' })
    : undefined
  try {
    const pending = await listPendingMigrations(config)
    const database = await openDatabase(config, { migrate: 'auto', report })
    await database.close()
    return pending
  } finally {
    lock?.close()
  }
}

export interface Examination {
  config: Config
  /** Sets the bucket's CORS and lifecycle rules. */
  fix: boolean
  repair: boolean
  verify: boolean
  orphans?: OrphanHandling | undefined
  onProgress: (text: string) => void
}

const LONG_STATEMENT_MS = 3_600_000

/** Examines the configured database and storage, whether or not the service runs. */
export async function* examine(examination: Examination): AsyncIterable<Finding> {
  const { config, fix, ...options } = examination
  const { examineDataFolder, examineService } = await import('./doctor/examine-service.ts')
  yield* examineService({
    examineSettings: () =>
      usesDataFolder(config) ? examineDataFolder(config.dataDirectory) : nothing(),
    examineDatabase: () => examineDatabase({ config, clock }),
    examineStorage: () => examineStorage({ config, clock, newId, fix }),
    examineMail() {
      const { smtp } = config.mail
      return examineMail(smtp && openSmtp(smtp), smtp?.host ?? '')
    },
    async open() {
      const contents = await openStorageContents({ config, clock })
      const database = await openDatabase(withLongStatements(config), { migrate: 'off' })
      async function close(): Promise<void> {
        await contents.close()
        await database.close()
      }
      const { signedForMs, secretKey } = config
      return { database, contents, clock, signedForMs, secretKey, ...options, close }
    },
  })
}

/** Comparing counters reads whole tables, which takes longer than the timeout of requests. */
function withLongStatements(config: Config): Config {
  const { database } = config
  if (database.kind === 'sqlite') return config
  return { ...config, database: { ...database, statementTimeoutMs: LONG_STATEMENT_MS } }
}

async function* nothing(): AsyncIterable<Finding> {}

const clock = () => new Date()
const newId = createUuids()

/** Creates the default account if it is missing. */
function ensureAccount(database: Database, config: Config): Promise<Account> {
  return database.ensureAccount({
    id: newId(),
    name: 'default',
    planName: 'default',
    planStorage: config.planStorage ?? DEFAULT_PLAN_STORAGE,
    createdAt: new Date(),
  })
}

/** Creates the default account if it is missing, and applies the configured plan. */
async function prepareAccount(database: Database, config: Config): Promise<Account> {
  const account = await ensureAccount(database, config)
  if (config.planStorage !== undefined && config.planStorage !== account.planStorage) {
    await database.changePlan(account.id, { name: account.planName, storage: config.planStorage })
  }
  return account
}

async function composeContext(parts: {
  config: Config
  logger: Logger
  database: Database
  storage: Storage
  secretKey: SecretKey
  outages: OutageWatch
  health: Health
  mail: Mailing
  version: string
}): Promise<Context> {
  const { config, logger, database, storage, outages } = parts
  const { chunkSize, signedForMs, uploadsKeptForMs, keepVersions, trashForMs, rateLimit } = config
  const { downloadsForMs, deliver } = config
  const { checksums, eventsForMs, eventsMaxBytes, storage: engine, webhookTargets } = config
  const { id } = await prepareAccount(database, config)
  return {
    database,
    storage,
    clock,
    newId,
    randomBytes,
    secretKey: parts.secretKey,
    settings: {
      chunkSize,
      signedForMs,
      uploadsKeptForMs,
      keepVersions,
      trashForMs,
      eventsForMs,
      eventsMaxBytes,
      downloadsForMs,
      deliver,
      checksums,
      // Object storage verifies its data itself.
      scrubEveryMs: engine.kind === 'disk' ? config.scrubEveryMs : 0,
      rateLimit,
      auth: authSettings(config.auth, id),
      webhookTargets,
    },
    instance: { id: newId(), name: `${hostname()} (${process.pid})`, version: parts.version },
    health: parts.health,
    sendWebhook: openWebhookSender({ targets: webhookTargets }),
    deliveries: new EventTarget(),
    mail: parts.mail,
    warn(message, error) {
      logger.warn({ err: error }, message)
      outages.notice(error)
    },
    noticeOutage: outages.notice,
  }
}

function openMailing({ mail, auth }: Config, baseUrl: () => string): Mailing {
  const { smtp, from, replyTo, noticesPerMinute } = mail
  return {
    mode: smtp !== undefined ? 'smtp' : auth.kind === 'open' ? 'outbox' : 'off',
    server: smtp && openSmtp(smtp),
    from: from ?? { name: null, address: 'files@localhost' },
    replyTo: replyTo ?? null,
    noticesPerMinute,
    baseUrl,
    queue: new EventTarget(),
  }
}

function authSettings(auth: AuthConfig, accountId: string): AuthSettings {
  if (auth.kind === 'open') return { kind: 'open', accountId }
  const { adminKey, previousAdminKey } = auth
  if (adminKey === undefined) return { kind: 'keys', admin: undefined }
  const previousHash = previousAdminKey === undefined ? undefined : hashKey(previousAdminKey)
  return { kind: 'keys', admin: { accountId, hash: hashKey(adminKey), previousHash } }
}

function explainPort(error: NodeJS.ErrnoException): never {
  if (error.code === 'EADDRINUSE') {
    throw new Error(
      `${error.message}: another program uses this port; set STOWAGE_PORT, or STOWAGE_METRICS_PORT for the metrics, to a free port (0 chooses one)`,
    )
  }
  throw error
}
