import type { AssetRecord } from './asset-record.ts'
import type { Database } from './database.ts'

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
