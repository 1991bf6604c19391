import type { AssetStatus } from '../../domain/asset.ts'
import type { Sql } from './connection.ts'
import type { Fragment } from './statement.ts'

/** The status as the API sees it: a completed replacement is ready, although its row is `deleted`. */
export function currentStatus(sql: Sql): Fragment {
  return sql`case when became_version is null then status else 'ready' end`
}

/**
 * Changes a status by compare-and-set. If nothing was changed, the current status is the reason. If that is
 * `from`, the asset got this status between the two statements, and the change is tried again.
 */
export async function transition<Status>(step: {
  from: AssetStatus
  to: AssetStatus
  change(): Promise<boolean>
  readStatus(): Promise<Status>
}): Promise<{ won: boolean; status: Status | AssetStatus }> {
  for (;;) {
    if (await step.change()) return { won: true, status: step.to }
    const status = await step.readStatus()
    if (status !== step.from) return { won: false, status }
  }
}
