import { fileURLToPath } from 'node:url'
import type { Database } from '../database.ts'
import { migrate } from '../migrate.ts'
import { prepareAccounts } from './accounts.ts'
import { prepareAssets } from './assets.ts'
import { connect, inTransaction, migrationTarget, toOutage } from './connection.ts'
import { prepareRemovals } from './removals.ts'
import { prepareUploads } from './uploads.ts'

const MIGRATIONS = fileURLToPath(new URL('../../../migrations/sqlite', import.meta.url))

/** Opens the file, creating and migrating it as needed. */
export async function openSqliteDatabase({ file }: { file: string }): Promise<Database> {
  const connection = connect(file)
  await migrate(migrationTarget(connection), MIGRATIONS)
  const units = {
    ...prepareAccounts(connection),
    ...prepareAssets(connection),
    ...prepareRemovals(connection),
    ...prepareUploads(connection, (work) => inTransaction(connection, work)),
  }
  const ping = connection.prepare('select 1')
  return {
    ...asUnitsOfWork(units),
    async check() {
      try {
        ping.get()
      } catch (error) {
        throw toOutage(error)
      }
    },
    async close() {
      connection.close()
    },
  }
}

type AsyncMethods<Methods> = {
  [Name in keyof Methods]: Methods[Name] extends (...values: infer Values) => infer Result
    ? (...values: Values) => Promise<Result>
    : never
}

/** SQLite answers at once; the port's promise is kept, and outages are told from faults. */
function asUnitsOfWork<Methods extends Record<string, (...values: never[]) => unknown>>(
  methods: Methods,
): AsyncMethods<Methods> {
  const wrapped = Object.entries(methods).map(([name, method]) => [
    name,
    async (...values: never[]) => {
      try {
        return method(...values)
      } catch (error) {
        throw toOutage(error)
      }
    },
  ])
  return Object.fromEntries(wrapped)
}
