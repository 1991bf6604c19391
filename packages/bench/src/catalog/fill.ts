import type { Database } from '@stowage/server/src/database/database'
import { progress } from '../progress.ts'
import { products, recordsAt } from './records.ts'

/**
 * Inserts `count` ready assets into an empty database, `batch` in each transaction, for the default account
 * of the service. Some of them have older versions. Adds further assets to the trash.
 */
export async function fill(
  database: Database,
  { count, batch }: { count: number; batch: number },
): Promise<void> {
  const { id } = await database.ensureAccount({
    id: '00000000-0000-7000-8000-00000000beef',
    name: 'default',
    planName: 'default',
    planStorage: 1e15,
    createdAt: new Date(),
  })
  const data = database.of(id)
  await data.putProducts(products())
  const trashedAt = new Date()
  for (let start = 0; start < count; start += batch) {
    const length = Math.min(batch, count - start)
    const indexes = Array.from({ length }, (_, index) => start + index)
    const assets = indexes.flatMap((index) => recordsAt(id, index, { count, trashedAt }))
    await data.importRecords({ keys: [], assets })
    progress(`filling: ${start + length} of ${count} assets`)
  }
}
