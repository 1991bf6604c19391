import type { Config } from './config/config.ts'
import { describeDatabase } from './config/describe-database.ts'
import { isDatabaseCreated } from './open-engines.ts'

/**
 * Throws if no service has created the database. Commands of an operator never create one: with a wrong
 * setting they would work on a new database that no service uses.
 */
export async function requireDatabase(config: Config): Promise<void> {
  if (await isDatabaseCreated(config)) return
  const setting =
    config.database.kind === 'sqlite'
      ? 'Set STOWAGE_DATA to the data folder of the service'
      : 'Set STOWAGE_DATABASE to the database of the service'
  throw new Error(
    `There is no Stowage database: ${describeDatabase(config)}. ${setting}, or create it by starting the service: stowage serve`,
  )
}
