import type { Database, StoredFile } from './database.ts'

const BATCH = 1000

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
