import type { AddressInfo } from 'node:net'
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  Registry,
} from 'prom-client'
import type { Database, PoolLoad, ServiceState } from '../database/database.ts'
import { EngineUnavailable } from '../domain/errors.ts'
import { http } from '../node-http/http-modules.ts'
import type { Storage } from '../storage/storage.ts'
import type { Call } from './calls.ts'

export interface Metrics {
  onCall(call: Call, ms: number, error: unknown): void
  onRequest(request: { method: string; route: string; status: number; ms: number }): void
  onJob(run: { job: string; ms: number; error: unknown }): void
  /** Answers `GET /metrics` there, and returns the port. */
  listen(at: { host: string; port: number }): Promise<number>
  close(): Promise<void>
}

export interface MetricsOptions {
  version: string
  engines: { database: Readonly<Database>; storage: Readonly<Storage> }
}

/**
 * No label has an account, a key or an ID, so that the number of series stays the same with any number of accounts. No label
 * is named `job` or `instance`: Prometheus gives these to each target.
 */
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const CALL_BUCKETS = [0.001, 0.01, 0.1, 0.5, 2, 10]

/** Metrics of this instance, and of the service: those of the service are the same on every instance. */
export function openMetrics({ version, engines }: MetricsOptions): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  const requests = new Histogram({
    name: 'stowage_http_request_duration_seconds',
    help: 'Time until the response was sent',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_BUCKETS,
    registers,
  })
  const calls = new Histogram({
    name: 'stowage_call_duration_seconds',
    help: 'Time of a call of the database or the storage, with waiting for a connection',
    labelNames: ['engine', 'call'],
    buckets: CALL_BUCKETS,
    registers,
  })
  const callErrors = new Counter({
    name: 'stowage_call_errors_total',
    help: 'Calls that failed because the database or the storage was unavailable or full',
    labelNames: ['engine'],
    registers,
  })
  const jobs = new Histogram({
    name: 'stowage_job_duration_seconds',
    help: 'Time of a run of a background job on this instance',
    labelNames: ['name'],
    buckets: [0.01, 0.1, 1, 10, 60, 600],
    registers,
  })
  const jobErrors = new Counter({
    name: 'stowage_job_errors_total',
    help: 'Failed runs of a background job on this instance',
    labelNames: ['name'],
    registers,
  })
  const jobSuccess = new Gauge({
    name: 'stowage_job_last_success_timestamp_seconds',
    help: 'When a background job last ran without an error on this instance',
    labelNames: ['name'],
    registers,
  })
  const info = new Gauge({
    name: 'stowage_info',
    help: 'The version of this instance',
    labelNames: ['version'],
    registers,
  })
  info.set({ version }, 1)
  for (const engine of ['database', 'storage']) callErrors.inc({ engine }, 0)
  const readGauges = addGauges(registry, engines)

  const server = http.createServer((request, response) => {
    const path = request.url?.split('?', 1)[0]
    if (path !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Use GET /metrics\n')
      return
    }
    void readGauges()
      .then(() => registry.metrics())
      .then(
        (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
        (error: unknown) => response.writeHead(500).end(String(error)),
      )
  })
  // A scraper sends a short request and closes.
  server.requestTimeout = 5_000
  server.maxConnections = 20

  return {
    onCall({ engine, method }, ms, error) {
      calls.observe({ engine, call: method }, ms / 1000)
      if (error instanceof EngineUnavailable) callErrors.inc({ engine: error.engine })
    },
    onRequest({ method, route, status, ms }) {
      requests.observe({ method, route, status }, ms / 1000)
    },
    onJob({ job, ms, error }) {
      jobs.observe({ name: job }, ms / 1000)
      jobErrors.inc({ name: job }, error === undefined ? 0 : 1)
      if (error === undefined) jobSuccess.set({ name: job }, Date.now() / 1000)
    },
    listen: ({ host, port }) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The state of the service is read at most this often, however many scrapers there are. */
const STATE_KEPT_MS = 5_000
/** A scrape does not wait longer for a database or a storage that hangs. Its gauges are then missing. */
const READ_TIMEOUT_MS = 3_000

interface Reading {
  state: ServiceState | undefined
  freeBytes: number | undefined
  load: PoolLoad | undefined
}

/** Returns a function that reads what the gauges show. Call it before the metrics are written. */
function addGauges(
  registry: Registry,
  { database, storage }: MetricsOptions['engines'],
): () => Promise<void> {
  let reading: Reading = { state: undefined, freeBytes: undefined, load: undefined }
  let readAt = -Infinity
  let running: Promise<void> | undefined

  function gauge<Label extends string>(
    config: Omit<GaugeConfiguration<Label>, 'registers' | 'collect'>,
    collect: (gauge: Gauge<Label>, reading: Reading) => void,
  ): void {
    new Gauge<Label>({
      ...config,
      registers: [registry],
      collect() {
        // A value that could not be read is missing, instead of being the old one.
        this.reset()
        if (config.labelNames === undefined) this.remove()
        collect(this, reading)
      },
    })
  }

  gauge({ name: 'stowage_up', help: '1 if the engine responds', labelNames: ['engine'] }, (up) => {
    up.set({ engine: 'database' }, reading.state === undefined ? 0 : 1)
  })
  gauge({ name: 'stowage_accounts', help: 'Accounts' }, (one, { state }) => {
    if (state) one.set(state.accounts)
  })
  gauge({ name: 'stowage_assets', help: 'Assets that are ready' }, (one, { state }) => {
    if (state) one.set(state.assets)
  })
  gauge(
    { name: 'stowage_damaged_files', help: 'Files whose bytes have changed or cannot be read' },
    (one, { state }) => {
      if (state) one.set(state.damaged)
    },
  )
  gauge(
    { name: 'stowage_bytes', help: 'Bytes of all accounts', labelNames: ['kind'] },
    (bytes, { state }) => {
      if (!state) return
      for (const kind of ['stored', 'reserved', 'trash'] as const) bytes.set({ kind }, state[kind])
    },
  )
  gauge(
    {
      name: 'stowage_uploads',
      help: 'Unfinished uploads, at most 10,000 of each state',
      labelNames: ['state'],
    },
    (uploads, { state }) => {
      if (!state) return
      uploads.set({ state: 'uploading' }, state.uploading)
      uploads.set({ state: 'completing' }, state.completing)
    },
  )
  gauge(
    {
      name: 'stowage_job_queue_length',
      help: 'Due work of a background job, at most 10,000',
      labelNames: ['name'],
    },
    (lengths, { state }) => {
      for (const { job, length } of state?.queues ?? []) lengths.set({ name: job }, length)
    },
  )
  gauge(
    {
      name: 'stowage_job_lag_seconds',
      help: 'For how long the oldest work of a background job has been due',
      labelNames: ['name'],
    },
    (lags, { state }) => {
      for (const { job, lagMs } of state?.queues ?? []) lags.set({ name: job }, lagMs / 1000)
    },
  )
  gauge(
    {
      name: 'stowage_webhook_backlog',
      help: 'Deliveries to working webhooks that were not sent yet, and events without a delivery',
    },
    (one, { state }) => {
      if (state) one.set(state.webhookBacklog)
    },
  )
  gauge(
    {
      name: 'stowage_webhook_backlog_age_seconds',
      help: 'The age of the oldest delivery to a working webhook that was not sent yet',
    },
    (one, { state }) => {
      if (state) one.set(state.webhookBacklogAgeMs / 1000)
    },
  )
  gauge(
    { name: 'stowage_mail_backlog', help: 'Mails that were not sent yet, at most 10,000' },
    (one, { state }) => {
      if (state) one.set(state.mailBacklog)
    },
  )
  gauge(
    {
      name: 'stowage_mail_backlog_age_seconds',
      help: 'The age of the oldest mail that was not sent yet',
    },
    (one, { state }) => {
      if (state) one.set(state.mailBacklogAgeMs / 1000)
    },
  )
  gauge(
    {
      name: 'stowage_backup_age_seconds',
      help: 'The time since the start of the newest complete backup; missing without one',
    },
    (one, { state }) => {
      if (state?.backupAgeMs !== undefined) one.set(state.backupAgeMs / 1000)
    },
  )
  gauge(
    {
      name: 'stowage_disk_free_bytes',
      help: 'Bytes that can be stored, without the reserve; missing for S3',
    },
    (one, { freeBytes }) => {
      if (freeBytes !== undefined) one.set(freeBytes)
    },
  )
  gauge(
    {
      name: 'stowage_database_connections',
      help: 'Connections of the pool: how many there may be, how many are in use, and how much work waits',
      labelNames: ['state'],
    },
    (connections, { load }) => {
      if (!load) return
      connections.set({ state: 'limit' }, load.limit)
      connections.set({ state: 'busy' }, load.busy)
      connections.set({ state: 'waiting' }, load.waiting)
    },
  )

  async function read(): Promise<void> {
    const within = <Value>(promise: Promise<Value>) =>
      Promise.race([promise, undefinedAfter(READ_TIMEOUT_MS)]).catch(() => undefined)
    const [state, freeBytes] = await Promise.all([
      within(database.readState()),
      within(storage.freeBytes()),
    ])
    reading = { state, freeBytes, load: database.readLoad() }
    readAt = performance.now()
    running = undefined
  }

  return async () => {
    if (performance.now() - readAt < STATE_KEPT_MS) return
    running ??= read()
    await running
  }
}

function undefinedAfter(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref()
  })
}
