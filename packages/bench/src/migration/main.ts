import { parseArgs } from 'node:util'
import { progress } from '../progress.ts'
import { machineText, thisMachine } from '../report/result.ts'
import { openContext } from '../workload.ts'
import { measureUpgrade, type UpgradeResult } from './measure-upgrade.ts'
import { createReleasedPostgres } from './postgres.ts'
import { tableOf } from './report.ts'
import { createReleasedSqlite } from './sqlite.ts'

/*
 * Measures how long it takes to upgrade a database of the last release, and whether an upgrade that is killed
 * continues at the next start.
 *
 *     npm run bench:migration                     1,000,000 assets
 *     npm run bench:migration -- --assets 10000 sqlite
 */

const ENGINES = { sqlite: createReleasedSqlite, postgres: createReleasedPostgres }
const PRODUCTS = 1000

async function run(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { assets: { type: 'string', default: '1000000' } },
  })
  const assets = Number(values.assets)
  const machine = machineText(thisMachine())
  const results: UpgradeResult[] = []
  for (const [name, create] of Object.entries(ENGINES)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue
    const context = openContext(1)
    process.once('SIGINT', () => context.close().finally(() => process.exit(130)))
    try {
      results.push(await measureUpgrade(await create(context, { assets, products: PRODUCTS })))
    } finally {
      await context.close()
    }
  }
  progress('')
  process.stdout.write(`${tableOf(results, { assets, machine })}\n`)
  for (const { engine, kills } of results) {
    for (const { afterSeconds, migrations, sortNames } of kills) {
      process.stdout.write(
        `${engine}, killed after ${afterSeconds.toFixed(1)} s: ${migrations} migrations, ${sortNames} sort names\n`,
      )
    }
  }
}

await run()
