import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pathOfStored, searchPath } from '../../domain/asset-path.ts'
import { wrapConnection } from './statement.ts'

const BATCH = 1000

/**
 * Sets `search_path` of assets that older versions have stored, one batch per transaction. Can be interrupted
 * and repeated.
 */
export async function fillSearchPaths(database: DatabaseSync): Promise<void> {
  const { prepare, transaction } = wrapConnection(database)
  const next = prepare<{ seq: number; folder: string }>(
    `select seq, folder from assets where folder is not null and search_path is null
     order by seq limit ${BATCH}`,
  )
  const fill = prepare('update assets set search_path = :search_path where seq = :seq')
  const fillSome = () =>
    transaction(() => {
      const rows = next.all()
      for (const { seq, folder } of rows) {
        fill.run({ seq, search_path: searchPath(pathOfStored(folder)) })
      }
      return rows.length
    })
  while (fillSome() === BATCH) await nextTurn()
}
