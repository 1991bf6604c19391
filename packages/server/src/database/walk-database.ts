import type { AssetRecord } from './account-data.ts'
import type { Database, StoredFile } from './database.ts'

const BATCH = 1000

/** Yields the assets of all accounts, ready or in the trash, ordered by ID. Holds one batch in memory at a time. */
export async function* walkRecords(database: Database): AsyncIterable<AssetRecord> {
  let after: string | undefined
  for (;;) {
    const records = await database.listRecords(after, BATCH)
    yield* records
    after = records.at(-1)?.asset.id
    if (records.length < BATCH) return
  }
}

/** Yields the objects of all versions of files, ready or in the trash, ordered by key. Holds one batch in memory at a time. */
export async function* walkStoredFiles(database: Database): AsyncIterable<StoredFile> {
  let after: string | undefined
  for (;;) {
    const files = await database.listStoredFiles(after, BATCH)
    yield* files
    after = files.at(-1)?.key
    if (files.length < BATCH) return
  }
}

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
