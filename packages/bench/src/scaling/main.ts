import { parseArgs } from 'node:util'
import { EmbeddedPostgres, startPostgres } from '@stowage/testing/engines/postgres'
import { stowage } from '@stowage/testing/service/stowage-command'
import postgres from 'postgres'
import { CATALOG_SETTINGS, copyFilled } from '../catalog/filled.ts'
import { type ServerProcess, startStowage } from '../processes/servers.ts'
import { progress } from '../progress.ts'
import { currentSource } from '../report/result.ts'
import { closeOnSignal, openContext, type WorkloadContext } from '../workload.ts'
import { type GrowthAccount, measureLargeTasks, measureMixedLoad } from './growth.ts'
import { type Cost, countCost, measureJobs, measureWrites } from './measurements.ts'
import { populate } from './populate.ts'
import { type Deployment, type ScalingResults, tablesOf, writeTables } from './report.ts'
import { REPETITIONS, shopCalls } from './shop-calls.ts'
import { startS3Stub } from './start-s3-stub.ts'

/*
 * Measures the cost of the most common calls as a service grows, on PostgreSQL, and of large tasks and many clients on both
 * databases. Takes 30 minutes and 18 GB of disk.
 *
 *     npm run bench:scaling                       10,000,000 assets of 1,000 shops
 *     npm run bench:scaling -- --write            also writes the tables of docs/scaling.md
 *     npm run bench:scaling -- --assets 100000 --accounts 100 --mixed-seconds 5
 */

/** As in production, synchronous_commit stays on: every commit waits for the disk. */
const SETTINGS = [
  'shared_preload_libraries=pg_stat_statements',
  'pg_stat_statements.track=all',
  'shared_buffers=4GB',
  'max_wal_size=8GB',
  'effective_io_concurrency=100',
  'random_page_cost=1.1',
]

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      assets: { type: 'string', default: '10000000' },
      accounts: { type: 'string', default: '1000' },
      'mixed-seconds': { type: 'string', default: '60' },
      write: { type: 'boolean', default: false },
    },
  })
  const source = values.write ? await currentSource() : undefined
  const mixedSeconds = Number(values['mixed-seconds'])
  const context = openContext(1)
  closeOnSignal(context)
  try {
    const server = await startPostgres(EmbeddedPostgres, SETTINGS)
    context.defer(server.close)
    const small = await measureDeployment(context, server.url, { assets: 10_000, accounts: 2 })
    const population = { assets: Number(values.assets), accounts: Number(values.accounts) }
    const large = await measureDeployment(context, server.url, population)
    const results: ScalingResults = {
      small: small.deployment,
      large: large.deployment,
      jobs: await large.measureJobs(),
      growth: [
        { name: 'SQLite', ...(await measureSqlite(context, population.assets / 10, mixedSeconds)) },
        { name: 'PostgreSQL', ...(await large.measureGrowth(mixedSeconds)) },
      ],
      writes: await large.measureWrites(),
    }
    progress('')
    process.stdout.write(`${tablesOf(results)}\n`)
    if (source !== undefined) await writeTables(results, source)
  } finally {
    await context.close()
  }
}

/** One account with all assets on SQLite and disk, as many as the large shop on PostgreSQL has. */
async function measureSqlite(context: WorkloadContext, assets: number, mixedSeconds: number) {
  const folder = await context.folder()
  await copyFilled(folder, assets)
  const instance = await startStowage(context, { ...CATALOG_SETTINGS, STOWAGE_DATA: folder })
  const results = await measureGrowth(instance, { assets }, mixedSeconds)
  await instance.stop()
  return results
}

/** The large tasks delete the assets, so they come last. */
async function measureGrowth(
  instance: ServerProcess,
  account: GrowthAccount,
  mixedSeconds: number,
) {
  const loads = await measureMixedLoad(instance, account, mixedSeconds)
  return { loads, tasks: await measureLargeTasks(instance, account) }
}

/** `measureWrites` binds the database to an S3 stub instead of the disk, so it is called last. */
async function measureDeployment(
  context: WorkloadContext,
  server: string,
  population: { assets: number; accounts: number },
) {
  const url = new URL(server)
  url.pathname = `/assets_${population.assets}`
  const root = postgres(server, { max: 1, onnotice: () => {} })
  await root.unsafe(`create database assets_${population.assets}`)
  await root.end()
  const sql = postgres(url.href, { max: 1, onnotice: () => {} })
  context.defer(() => sql.end())
  await sql`create extension pg_stat_statements`
  const shops = await populate(url.href, { ...population, sql })
  const settings = { STOWAGE_DATABASE: url.href, STOWAGE_AUTH: 'keys' }
  const onDisk = { ...settings, STOWAGE_DATA: await context.folder() }
  let instance = await startStowage(context, onDisk)
  const deployment: Deployment = { ...population, shops: [], tables: await tableSizes(sql) }
  for (const shop of [shops.at(0), shops.at(-1)]) {
    if (shop === undefined) continue
    const costs: { name: string; cost: Cost }[] = []
    for (const { name, call } of await shopCalls(instance.url, shop)) {
      progress(`${shop.name} of ${population.assets}: ${name}`)
      costs.push({ name, cost: await countCost(sql, call, REPETITIONS) })
    }
    deployment.shops.push({ shop, costs })
  }
  const jobs = async () => {
    await instance.stop()
    return measureJobs(sql, async () => {
      instance = await startStowage(context, onDisk)
    })
  }
  const growth = async (mixedSeconds: number) => {
    const [shop] = shops
    if (shop === undefined) throw new Error('there is no shop')
    return measureGrowth(instance, shop, mixedSeconds)
  }
  const writes = async () => {
    await instance.stop()
    // Only one instance can use a data folder; any number of instances can use a bucket.
    const onS3 = { ...settings, ...(await startS3Stub(context)) }
    const { code, stderr } = await stowage(onS3, 'adopt', '--yes')
    if (code !== 0) throw new Error(`stowage adopt: ${stderr}`)
    const four = await Promise.all([1, 2, 3, 4].map(() => startStowage(context, onS3)))
    const [oneInstance, oneShop, manyShops] = [
      four.slice(0, 1),
      shops.slice(0, 1),
      shops.slice(0, 100),
    ]
    progress('measuring writes')
    return [
      { name: 'One instance, one shop', rates: await measureWrites(oneInstance, oneShop) },
      { name: 'One instance, 100 shops', rates: await measureWrites(oneInstance, manyShops) },
      { name: 'Four instances, one shop', rates: await measureWrites(four, oneShop) },
      { name: 'Four instances, 100 shops', rates: await measureWrites(four, manyShops) },
    ]
  }
  return { deployment, measureWrites: writes, measureJobs: jobs, measureGrowth: growth }
}

function tableSizes(sql: postgres.Sql): Promise<Deployment['tables']> {
  return sql<Deployment['tables']>`
    select relname as name, greatest(reltuples, 0)::float8 as rows,
      pg_relation_size(oid)::float8 as bytes
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')
      and pg_relation_size(oid) > 1000000
    order by pg_relation_size(oid) desc`
}

await run()
