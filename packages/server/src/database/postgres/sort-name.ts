import { sortName } from '../../domain/sort-name.ts'
import type { ReportUpgrade } from '../migrate.ts'
import { reportFilling } from '../report-filling.ts'
import { begin, type Sql } from './connection.ts'
import { withoutIndexes } from './without-indexes.ts'

const BATCH = 5000
/** With more rows, it is much faster to create all indexes again than to update them with each row. */
const MANY = 50_000
const FIRST = '00000000-0000-0000-0000-000000000000'

/**
 * Sets `sort_name` of assets that older versions of Stowage stored without it. Few assets are changed in batches, each
 * in its own transaction. Many assets are changed in one transaction, without indexes. Can be interrupted and repeated.
 */
export async function fillSortNames(
  sql: Sql,
  report: ReportUpgrade,
  { many = MANY } = {},
): Promise<void> {
  const [missing] = await sql<{ count: number }[]>`
    select count(*) from (select from assets where sort_name is null limit ${many}) missing`
  if (missing === undefined || missing.count < many) return fillBatches(sql, report)
  await begin(sql, (transaction) =>
    withoutIndexes(transaction, { table: 'assets', report }, () =>
      fillBatches(transaction, report),
    ),
  )
}

async function fillBatches(sql: Sql, report: ReportUpgrade): Promise<void> {
  const filling = reportFilling(report, 'sort_name')
  let after = FIRST
  for (;;) {
    const rows = await sql<{ id: string; filename: string }[]>`
      select id, filename from assets where sort_name is null and id > ${after}
      order by id limit ${BATCH}`
    const ids = rows.map(({ id }) => id)
    const names = rows.map(({ filename }) => filename)
    // An asset that was renamed in the meantime keeps its new name.
    await sql`
      update assets a set sort_name = filled.sort_name
      from unnest(${ids}::uuid[], ${names}::text[], ${names.map(sortName)}::text[])
        as filled (id, filename, sort_name)
      where a.id = filled.id and a.filename = filled.filename and a.sort_name is null`
    if (rows.length < BATCH) return
    filling.add(rows.length)
    after = ids.at(-1) ?? after
  }
}
