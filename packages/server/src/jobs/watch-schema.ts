import type { Context } from '../operations/context.ts'

/**
 * Warns once when a newer version of Stowage has migrated the database while this instance runs: it could then misread
 * data of the newer version, or fail, and it could not start again.
 */
export async function watchSchema({ database, health, warn }: Context): Promise<void> {
  const migration = await database.findNewerMigration()
  if (migration !== undefined && health.newerMigration === undefined) {
    warn(
      `the database was upgraded by a newer version of Stowage (it has migration ${migration}): stop this instance and start that version`,
      undefined,
    )
  }
  health.newerMigration = migration
}
