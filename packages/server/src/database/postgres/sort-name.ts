import { sortName } from '../../domain/sort-name.ts'
import type { ReportUpgrade } from '../migrate.ts'
import { reportFilling } from '../report-filling.ts'
import type { Sql } from './connection.ts'

const BATCH = 5000

/**
 * Sets `sort_name` of assets that older versions have stored, one batch per statement. Can be interrupted and
 * repeated.
 */
export async function fillSortNames(sql: Sql, report: ReportUpgrade): Promise<void> {
  const filling = reportFilling(report, 'sort_name')
  for (;;) {
    const rows = await sql<{ id: string; filename: string }[]>`
      select id, filename from assets where sort_name is null order by id limit ${BATCH}`
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
  }
}
