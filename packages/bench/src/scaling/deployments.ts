import { stat } from 'node:fs/promises'
import { EmbeddedPostgres, startPostgres } from '@stowage/testing/engines/postgres'
import { stowage } from '@stowage/testing/service/stowage-command'
import postgres from 'postgres'
import { CATALOG_SETTINGS, copyFilled } from '../catalog/filled.ts'
import { type ServerProcess, startStowage } from '../processes/servers.ts'
import { progress } from '../progress.ts'
import type { WorkloadContext } from '../workload.ts'
import { type Cost, countCost } from './measurements.ts'
import { populate, type Shop } from './populate.ts'
import { REPETITIONS, shopCalls } from './shop-calls.ts'
import { startS3Stub } from './start-s3-stub.ts'
import type { GrownService } from './tasks.ts'

export interface Sizes {
  /** On PostgreSQL, of all shops. One shop has a third of them; SQLite has one account with as many. */
  assets: number
  accounts: number
  /** How many assets the large tasks change. */
  changed: number
  /** How long many clients send calls. */
  seconds: number
}

/** The services that the sections measure. Each is created for the first section that needs it. */
export type Deployments = ReturnType<typeof openDeployments>

export function openDeployments(context: WorkloadContext, { assets, accounts }: Sizes) {
  let server: Promise<string> | undefined
  let large: Promise<PostgresDeployment> | undefined

  async function open(population: Population): Promise<PostgresDeployment> {
    server ??= startServer(context)
    return openPostgres(context, await server, population)
  }

  return {
    openSmall: () => open({ assets: 10_000, accounts: 2, largeOneIn: 10 }),
    openLarge() {
      large ??= open({ assets, accounts, largeOneIn: LARGE_ONE_IN })
      return large
    },
    openSqlite: () => openSqlite(context, Math.floor(assets / LARGE_ONE_IN)),
  }
}

const LARGE_ONE_IN = 3

/** One account with all assets, on SQLite and disk. */
async function openSqlite(context: WorkloadContext, assets: number): Promise<GrownService> {
  const folder = await context.folder()
  const file = await copyFilled(folder, assets)
  const start = (settings = {}) =>
    startStowage(context, { ...CATALOG_SETTINGS, STOWAGE_DATA: folder, ...settings })
  let server = await start()
  return {
    account: { assets },
    server,
    async restart(settings) {
      await server.stop()
      server = await start(settings)
      return server
    },
    async watchLog(work) {
      let bytes = 0
      const timer = setInterval(async () => {
        const { size } = await stat(`${file}-wal`).catch(() => ({ size: 0 }))
        bytes = Math.max(bytes, size)
      }, 20)
      try {
        return { result: await work(), bytes }
      } finally {
        clearInterval(timer)
      }
    },
  }
}

/** As in production, synchronous_commit stays on: every commit waits for the disk. */
const SETTINGS = [
  'shared_preload_libraries=pg_stat_statements',
  'pg_stat_statements.track=all',
  'shared_buffers=4GB',
  'max_wal_size=8GB',
  'effective_io_concurrency=100',
  'random_page_cost=1.1',
]

async function startServer(context: WorkloadContext): Promise<string> {
  const { url, close } = await startPostgres(EmbeddedPostgres, SETTINGS)
  context.defer(close)
  return url
}

interface Population {
  assets: number
  accounts: number
  /** One asset in this many belongs to the large shop. */
  largeOneIn: number
}

/** The cost of each call of a shop, in a service with this many assets. */
export interface MeasuredShop {
  shop: Shop
  assets: number
  costs: { name: string; cost: Cost }[]
}

export interface TableSize {
  name: string
  isIndex: boolean
  bytes: number
  liveRows: number
  deadRows: number
  vacuums: number
}

type PostgresDeployment = Awaited<ReturnType<typeof openPostgres>>

async function openPostgres(context: WorkloadContext, server: string, population: Population) {
  const url = new URL(server)
  url.pathname = `/assets_${population.assets}`
  const root = postgres(server, { max: 1, onnotice: () => {} })
  await root.unsafe(`create database assets_${population.assets}`)
  const sql = postgres(url.href, { max: 1, onnotice: () => {} })
  context.defer(() => sql.end())
  await sql`create extension pg_stat_statements`
  const shops = await withoutSync(root, () => populate(url.href, { ...population, sql }))
  await root.end()
  const onPostgres = { STOWAGE_DATABASE: url.href, STOWAGE_AUTH: 'keys' }
  const onDisk = { ...onPostgres, STOWAGE_DATA: await context.folder() }
  let instance = await startStowage(context, onDisk)

  async function restart(settings = {}): Promise<ServerProcess> {
    await instance.stop()
    instance = await startStowage(context, { ...onDisk, ...settings })
    return instance
  }

  async function readLog(): Promise<number> {
    const [row] = await sql<{ bytes: number }[]>`
      select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`
    return row?.bytes ?? 0
  }

  return {
    sql,
    shops,
    assets: population.assets,
    stop: () => instance.stop(),
    start: () => restart(),

    async measureCalls(): Promise<MeasuredShop[]> {
      const measured: MeasuredShop[] = []
      for (const shop of [shops.at(0), shops.at(-1)]) {
        if (shop === undefined) continue
        const costs: MeasuredShop['costs'] = []
        for (const { name, call } of await shopCalls(instance.url, shop)) {
          progress(`${shop.name} of ${population.assets}: ${name}`)
          costs.push({ name, cost: await countCost(sql, call, REPETITIONS) })
        }
        measured.push({ shop, assets: population.assets, costs })
      }
      return measured
    },

    /** The service with its large shop. */
    grown(): GrownService {
      const [account] = shops
      if (account === undefined) throw new Error('there is no shop')
      return {
        account,
        server: instance,
        restart,
        async watchLog(work) {
          const before = await readLog()
          const result = await work()
          return { result, bytes: (await readLog()) - before }
        },
      }
    },

    /** Only one instance can use a data folder; any number of instances can use a bucket. */
    async startOnS3(count: number): Promise<ServerProcess[]> {
      await instance.stop()
      const onS3 = { ...onPostgres, ...(await startS3Stub(context)) }
      const { code, stderr } = await stowage(onS3, 'adopt', '--yes')
      if (code !== 0) throw new Error(`stowage adopt: ${stderr}`)
      return Promise.all(Array.from({ length: count }, () => startStowage(context, onS3)))
    },

    readSizes: () => sql<TableSize[]>`
      select c.relname as name, relkind = 'i' as "isIndex", pg_relation_size(c.oid)::float8 as bytes,
        coalesce(n_live_tup, 0)::float8 as "liveRows", coalesce(n_dead_tup, 0)::float8 as "deadRows",
        coalesce(vacuum_count + autovacuum_count, 0)::float8 as vacuums
      from pg_class c left join pg_stat_user_tables s on s.relid = c.oid
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')
        and pg_relation_size(c.oid) > 1000000
      order by pg_relation_size(c.oid) desc`,
  }
}

/** Nothing is measured meanwhile, and everything is written to the disk afterward. */
async function withoutSync<Result>(
  root: postgres.Sql,
  work: () => Promise<Result>,
): Promise<Result> {
  const set = async (command: string) => {
    for (const name of ['fsync', 'full_page_writes', 'synchronous_commit']) {
      await root.unsafe(`alter system ${command.replace('?', name)}`)
    }
    await root`select pg_reload_conf()`
  }
  await set('set ? = off')
  try {
    return await work()
  } finally {
    await set('reset ?')
    await root`checkpoint`
  }
}
