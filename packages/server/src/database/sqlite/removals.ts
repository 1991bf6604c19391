import type { DatabaseSync } from 'node:sqlite'
import type { Removal } from '../database.ts'
import { type RemovalRow, toRemoval } from './rows.ts'
import { prepare } from './statement.ts'

export function prepareRemovals(connection: DatabaseSync) {
  const due = prepare<RemovalRow>(
    connection,
    `select id, kind, storage_id, key, attempts from removals
     where due_at <= :now order by due_at limit :limit`,
  )
  const remove = prepare(connection, 'delete from removals where id = :id')
  const postpone = prepare(
    connection,
    'update removals set due_at = :due_at, attempts = attempts + 1 where id = :id',
  )
  return {
    listDueRemovals(now: Date, limit: number): Removal[] {
      return due.all({ now: now.getTime(), limit }).map(toRemoval)
    },

    finishRemoval(id: number): void {
      remove.run({ id })
    },

    postponeRemoval(id: number, dueAt: Date): void {
      postpone.run({ id, due_at: dueAt.getTime() })
    },
  }
}
