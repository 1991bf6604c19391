import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sortName } from '../../domain/sort-name.ts'
import type { ReportUpgrade } from '../migrate.ts'
import { reportFilling } from '../report-filling.ts'
import { wrapConnection } from './statement.ts'

const BATCH = 5000

/**
 * Sets `sort_name` of assets that older versions have stored, one batch per transaction. Can be interrupted
 * and repeated.
 */
export async function fillSortNames(database: DatabaseSync, report: ReportUpgrade): Promise<void> {
  const { prepare, transaction } = wrapConnection(database)
  const next = prepare<{ seq: number; filename: string }>(
    `select seq, filename from assets where sort_name is null order by seq limit ${BATCH}`,
  )
  const fill = prepare('update assets set sort_name = :sort_name where seq = :seq')
  const fillSome = () =>
    transaction(() => {
      const rows = next.all()
      for (const { seq, filename } of rows) fill.run({ seq, sort_name: sortName(filename) })
      return rows.length
    })
  const filling = reportFilling(report, 'sort_name')
  while (fillSome() === BATCH) {
    filling.add(BATCH)
    await nextTurn()
  }
}
