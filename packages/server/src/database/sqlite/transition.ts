import type { AssetStatus } from '../../domain/asset.ts'

export const OWN_ASSET = 'id = :id and account_id = :account'

/** The status as the API sees it: a completed replacement is ready, although its row is `deleted`. */
export const STATUS = `iif(became_version is null, status, 'ready')`

/** The SQL of a status change by compare-and-set: `from` is part of the condition. */
export function transition(from: AssetStatus, to: AssetStatus): string {
  return `update assets set status = '${to}', changed_at = :now where ${OWN_ASSET} and status = '${from}'`
}
