import type { ReportUpgrade } from '../migrate.ts'
import type { Sql } from './connection.ts'

/**
 * Drops the indexes of a table, except for those of constraints, runs work that changes most of its rows, and then
 * creates the indexes again. It must run in a transaction, so that the indexes still exist after an interruption.
 */
export async function withoutIndexes(
  transaction: Sql,
  { table, report }: { table: string; report: ReportUpgrade },
  work: () => Promise<void>,
): Promise<void> {
  const indexes = await transaction<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index where indrelid = ${table}::regclass
      and not exists (select from pg_constraint where conindid = indexrelid)
    order by 1`
  for (const { name } of indexes) await transaction.unsafe(`drop index ${name}`)
  await work()
  await transaction`set local maintenance_work_mem = '128MB'`
  for (const { name, definition } of indexes) {
    report('upgrading the database', { index: name })
    await transaction.unsafe(definition)
  }
}
