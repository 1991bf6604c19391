import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { listMigrations } from '@stowage/server/src/database/migrate'
import { MIGRATIONS } from '@stowage/server/src/database/postgres/migrations'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { skipUnlessCi } from '@stowage/testing/machine/programs'
import { aRandom, type Random, seedOf } from '@stowage/testing/machine/random'
import { until } from '@stowage/testing/machine/until'
import {
  checkOutLastRelease,
  LAST_RELEASE,
  missingForLastRelease,
} from '@stowage/testing/service/last-release'
import { acceptOtherVersion } from '@stowage/testing/service/service'
import { type ServiceProcess, spawnService } from '@stowage/testing/service/service-process'
import postgres from 'postgres'
import {
  assertLoggedErrors,
  checkFinalState,
  checkOutcomeEvents,
  readEventsUntilOver,
} from './checks.ts'
import { type Attempt, noOutcomes, uploadUntilOver } from './clients.ts'
import { type EmptyDeployment, type SharedEngines, withSharedEngines } from './shared-engines.ts'

const CLIENTS = 6
/** How many uploads are completed in each phase: old instances only, both, and new ones only. */
const COMPLETIONS = Number(process.env.UPGRADE_COMPLETIONS ?? 15)
const KILLS = Number(process.env.UPGRADE_KILLS ?? 3)
/** Rows that the migrations read, such as for indexes. */
const ROWS = Number(process.env.UPGRADE_ROWS ?? 30_000)

await withSharedEngines('the last release and this one', (engines) => {
  test('the last release works while this one migrates its database, although the migration is killed several times', {
    timeout: 600_000,
  }, async (t) => {
    const missing = await missingForLastRelease()
    if (missing !== undefined) return skipUnlessCi(t, missing)
    const seed = seedOf('UPGRADE_SEED')
    t.diagnostic(`UPGRADE_SEED=${seed} repeats the random choices`)
    await upgrade(t, engines, aRandom(seed))
  })
})

async function upgrade(t: TestContext, engines: SharedEngines, random: Random): Promise<void> {
  const deployment = await engines.deployEmpty(t)
  const sql = postgres(deployment.settings.STOWAGE_DATABASE ?? '', { max: 2, onnotice: () => {} })
  cleanUp(t, () => sql.end())
  const program = await checkOutLastRelease(t)
  // `$0` is Node, and `$2` is the command.
  const wrapper = ['sh', '-c', `exec "$0" ${program} "$2"`]
  const old = [await deployment.start({}, wrapper), await deployment.start({}, wrapper)]
  for (const { baseUrl } of old) acceptOtherVersion(t, baseUrl)
  assert.deepEqual(await readApplied(sql), LAST_RELEASE.migrations)
  await addRows(sql)

  const running = [...old]
  const attempts: Attempt[] = []
  const outcomes = noOutcomes()
  let isDone = false
  const client = (name: string) => ({
    name,
    baseUrls: () => running.map(({ baseUrl }) => baseUrl) as [string, ...string[]],
    random: aRandom(random.between(0, 2 ** 32)),
    attempts,
    outcomes,
    isOver: () => isDone,
  })
  const clients = Promise.all(
    Array.from({ length: CLIENTS }, (_, index) => uploadUntilOver(client(`client${index}`))),
  )
  let areClientsDone = false
  const reader = readEventsUntilOver({ ...client('reader'), isOver: () => areClientsDone })
  const load = clients.finally(() => {
    areClientsDone = true
  })
  const phase = async (name: string) => {
    const before = outcomes.completed.size
    const isReached = until(
      `${COMPLETIONS} uploads are completed by ${name}`,
      () => outcomes.completed.size >= before + COMPLETIONS,
      120_000,
    )
    // A client that fails ends the test at once.
    await Promise.race([isReached, load])
  }
  try {
    await phase('the last release')
    for (let kill = 0; kill < KILLS; kill += 1) await killMigration(deployment, sql, random)
    const begin = performance.now()
    running.push(await deployment.start())
    t.diagnostic(`this version was ready after ${Math.round(performance.now() - begin)} ms`)
    assert.deepEqual(await readApplied(sql), await listMigrations(MIGRATIONS))
    await phase('both versions')
    running.push(await deployment.start())
    for (const instance of old) {
      running.splice(running.indexOf(instance), 1)
      // Its running requests are finished.
      assert.equal(await instance.stop('SIGTERM'), 0)
      await phase('the remaining instances')
    }
  } finally {
    isDone = true
  }
  const [events] = await Promise.all([reader, load])
  checkOutcomeEvents(events, outcomes)
  for (const instance of running) assert.equal(await instance.stop('SIGTERM'), 0)

  const { completed, cancelled, deleted } = outcomes
  const slowest = Math.max(
    ...attempts.map(({ startedAt, endedAt = startedAt }) => endedAt - startedAt),
  )
  t.diagnostic(
    `${attempts.length} requests, the slowest of ${Math.round(slowest)} ms; ${completed.size} completions, ${cancelled.size} cancellations, ${deleted.size} deletions`,
  )
  assert.deepEqual(
    attempts.filter(({ status }) => status === 503),
    [],
  )
  assert.deepEqual(
    attempts.filter((one) => one.failure !== undefined && !isOfStopped(one, old)),
    [],
  )
  for (const instance of [...old, ...running]) assertLoggedErrors(instance)
  const { count } = await sql`delete from assets where filename = 'filler'`
  assert.equal(count, ROWS)
  await sql`delete from products where name = 'filler'`
  await checkFinalState(t, deployment, outcomes)
}

/** A request to an instance that was being stopped. */
function isOfStopped({ baseUrl }: Attempt, stopped: ServiceProcess[]): boolean {
  return stopped.some((instance) => instance.baseUrl === baseUrl)
}

async function readApplied(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`select name from migrations order by name`
  return rows.map(({ name }) => name)
}

async function addRows(sql: postgres.Sql): Promise<void> {
  await sql`
    insert into products (id, account_id, product_id, variant_id, name, variant_name, sku, vendor,
      tags, search_name, search_vendor, search_tags, search_sku)
    select gen_random_uuid(), (select id from accounts), n, n, 'filler', '', n, '', '{}', 'filler ' || n,
      '', '{}', n
    from generate_series(1, ${ROWS}::int) n`
  await sql`
    insert into assets (id, account_id, kind, status, filename, search_name, sort_name, bytes, mime,
      created_at, changed_at, folder, search_path, upload_id, chunk_size)
    select gen_random_uuid(), (select id from accounts), 'file', 'cancelled', 'filler', 'filler', 'filler',
      n, 'text/plain', now(), now(), 'folder ' || n || '/', 'folder', gen_random_uuid(), 1
    from generate_series(1, ${ROWS}::int) n`
}

/** Starts an instance of this version, and kills it while it runs one of the remaining migrations. */
async function killMigration(
  { settings }: EmptyDeployment,
  sql: postgres.Sql,
  random: Random,
): Promise<void> {
  const applied = await readApplied(sql)
  const remaining = (await listMigrations(MIGRATIONS)).filter((name) => !applied.includes(name))
  const victim = remaining[random.between(0, Math.min(3, remaining.length - 1))]
  if (victim === undefined) return
  const child = spawnService({ ...settings, STOWAGE_LOG: 'info' })
  const ended = once(child, 'close')
  let log = ''
  child.stderr.on('data', (text) => {
    log += text
  })
  await until(`the migration ${victim} begins`, () => log.includes(victim), 60_000)
  child.kill('SIGKILL')
  await ended
}
