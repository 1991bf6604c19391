import type { ReportUpgrade } from './migrate.ts'

const INTERVAL_MS = 5_000

/** Counts the rows in which an upgrade has filled the column, and reports the count every few seconds. */
export function reportFilling(report: ReportUpgrade, column: string): { add(rows: number): void } {
  let filled = 0
  let reportedAt = performance.now()
  return {
    add(rows) {
      filled += rows
      if (performance.now() - reportedAt < INTERVAL_MS) return
      reportedAt = performance.now()
      report('upgrading the database', { column, filled })
    },
  }
}
