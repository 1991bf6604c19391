import type { Database } from './database.ts'

/**
 * Sets every counter to what the rows add up to, in steps of one unit of work each, so that the
 * requests of a running service get their turn in between.
 */
export async function recountCounters(database: Database): Promise<void> {
  for (const { id } of await database.listAccounts()) {
    await database.recountUsage(id)
    let after: string | undefined
    do after = await database.recountBlocks(id, after)
    while (after !== undefined)
  }
}
