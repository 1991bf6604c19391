import type { Database } from '@stowage/server/src/database/database'
import { progress } from '../progress.ts'
import { assetRecord, products } from './records.ts'

/**
 * Inserts `count` assets into an empty database, `batch` in each transaction, for the default account
 * of the service.
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
  for (let start = 0; start < count; start += batch) {
    const length = Math.min(batch, count - start)
    const assets = Array.from({ length }, (_, index) => assetRecord(id, start + index, count))
    await data.importRecords({ keys: [], assets })
    progress(`filling: ${start + length} of ${count} assets`)
  }
}
