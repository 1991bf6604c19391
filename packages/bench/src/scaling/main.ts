import { parseArgs } from 'node:util'
import { progress } from '../progress.ts'
import { currentSource, thisMachine } from '../report/result.ts'
import { closeOnSignal, openContext } from '../workload.ts'
import { measureClients } from './clients.ts'
import { type Deployments, openDeployments, type Sizes } from './deployments.ts'
import { measureJobs, measureWrites } from './measurements.ts'
import { saveAndWrite, writePage } from './page.ts'
import * as tables from './tables.ts'
import { measureTasks } from './tasks.ts'

/*
 * Measures the cost of the most common calls as a service grows, on PostgreSQL, and of large tasks and many clients on both
 * databases. Run nothing else on the machine at the same time.
 *
 *     npm run bench:scaling                       all sections: about 20 minutes and 5 GB of disk
 *     npm run bench:scaling -- tasks-sqlite       some sections
 *     npm run bench:scaling -- --write            also writes docs/scaling.md. The working tree must be a commit
 *     npm run bench:scaling -- --page             only writes docs/scaling.md, from saved results
 *     npm run bench:scaling -- --assets 3000000   a million in the large account: about 35 minutes and 12 GB
 *     npm run bench:scaling -- --assets 30000 --accounts 100 --changed 2000 --seconds 4
 */

/** Each section returns tables of docs/scaling.md, by their names. */
type Section = (deployments: Deployments, sizes: Sizes) => Promise<Record<string, string>>

/** In the order of a run: the tasks delete all assets of an account, and the writers use another storage. */
const SECTIONS: Record<string, Section> = {
  async 'clients-sqlite'({ openSqlite }, { seconds }) {
    const { server, account } = await openSqlite()
    return { 'clients-sqlite': tables.clients(await measureClients(server, account, seconds)) }
  },

  async 'tasks-sqlite'({ openSqlite }, { changed }) {
    return { 'tasks-sqlite': tables.tasks(await measureTasks(await openSqlite(), changed)) }
  },

  async calls({ openSmall, openLarge }) {
    const [small, large] = [await openSmall(), await openLarge()]
    const [few, many] = [await small.measureCalls(), await large.measureCalls()]
    return {
      costs: tables.costs(many),
      growth: tables.growth(few, many),
      sizes: tables.sizes(await large.readSizes(), large.assets),
    }
  },

  async jobs({ openLarge }) {
    const { sql, stop, start } = await openLarge()
    await stop()
    return { jobs: tables.jobs(await measureJobs(sql, start)) }
  },

  async 'clients-postgres'({ openLarge }, { seconds }) {
    const { server, account } = (await openLarge()).grown()
    return { 'clients-postgres': tables.clients(await measureClients(server, account, seconds)) }
  },

  async 'tasks-postgres'({ openLarge }, { changed }) {
    const large = await openLarge()
    const before = await large.readSizes()
    const tasks = await measureTasks(large.grown(), changed)
    return {
      'tasks-postgres': tables.tasks(tasks),
      vacuum: tables.vacuum(before, await large.readSizes()),
    }
  },

  async writers({ openLarge }) {
    const { startOnS3, shops } = await openLarge()
    const four = await startOnS3(4)
    const [one, ofOneShop, ofManyShops] = [four.slice(0, 1), shops.slice(0, 1), shops.slice(0, 100)]
    progress('measuring writes')
    return {
      writers: tables.writers([
        { name: 'One instance, one shop', rates: await measureWrites(one, ofOneShop) },
        { name: 'One instance, 100 shops', rates: await measureWrites(one, ofManyShops) },
        { name: 'Four instances, one shop', rates: await measureWrites(four, ofOneShop) },
        { name: 'Four instances, 100 shops', rates: await measureWrites(four, ofManyShops) },
      ]),
    }
  },
}
const NAMES = Object.keys(SECTIONS)

async function run(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      assets: { type: 'string', default: '1200000' },
      accounts: { type: 'string', default: '120' },
      changed: { type: 'string', default: '100000' },
      seconds: { type: 'string', default: '60' },
      write: { type: 'boolean', default: false },
      page: { type: 'boolean', default: false },
    },
  })
  const unknown = positionals.filter((name) => !NAMES.includes(name))
  if (unknown.length > 0) {
    process.stderr.write(
      `bench:scaling: unknown section ${unknown.join(', ')}. Sections: ${NAMES.join(', ')}\n`,
    )
    return 2
  }
  if (values.page) {
    await writePage()
    return 0
  }
  const source = values.write ? await currentSource() : undefined
  const machine = thisMachine()
  const sizes = {
    assets: Number(values.assets),
    accounts: Number(values.accounts),
    changed: Number(values.changed),
    seconds: Number(values.seconds),
  }
  const context = openContext(1)
  closeOnSignal(context)
  try {
    const deployments = openDeployments(context, sizes)
    for (const [name, section] of Object.entries(SECTIONS)) {
      if (positionals.length > 0 && !positionals.includes(name)) continue
      const since = performance.now()
      const made = await section(deployments, sizes)
      progress('')
      const minutes = (performance.now() - since) / 60_000
      process.stdout.write(`${name}: ${minutes.toFixed(1)} minutes\n\n`)
      for (const [table, text] of Object.entries(made)) {
        process.stdout.write(`${table}\n\n${text}\n\n`)
      }
      if (source !== undefined) await saveAndWrite(name, { machine, source, tables: made })
    }
    return 0
  } finally {
    await context.close()
  }
}

process.exitCode = await run()
