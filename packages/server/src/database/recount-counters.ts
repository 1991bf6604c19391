import type { Database } from './database.ts'

/**
 * Sets every counter to the sum of its rows. Works in small units of work, so that the requests of a
 * running service are served in between.
 */
export async function recountCounters(database: Database): Promise<void> {
  for (const { id } of await database.listAccounts()) {
    await database.recountUsage(id)
    let after: string | undefined
    do after = await database.recountBlocks(id, after)
    while (after !== undefined)
  }
}
