import { REPLACED_OBJECT_KEPT_MS } from '../claim-times.ts'
import type { Connection } from './statement.ts'

interface SupersededVersion {
  object_key: string
  storage_id: string | null
  bytes: number
}

/** Versions that are no longer kept, but whose objects downloads may still need. Runs in the caller's transaction. */
export function prepareSuperseded({ prepare }: Connection) {
  const queue = prepare(
    `insert into removals (kind, storage_id, key, due_at, account_id, bytes)
     values ('object', :storage_id, :key, :due_at, :account, :bytes)`,
  )
  const count = prepare(
    `update accounts set stored_bytes = stored_bytes - :bytes,
       superseded_bytes = superseded_bytes + :bytes where id = :account`,
  )
  const uncount = prepare(
    'update accounts set superseded_bytes = superseded_bytes - :bytes where id = :account',
  )
  const oldest = prepare<{ id: number; bytes: number }>(
    'select id, bytes from removals where account_id = :account order by id limit 1',
  )
  const makeDue = prepare(
    'update removals set due_at = :now, account_id = null, bytes = null where id = :id',
  )

  return {
    /** The version was removed. Its bytes are available, and its object is removed after an hour. */
    supersede(account: string, { object_key: key, storage_id, bytes }: SupersededVersion): void {
      count.run({ account, bytes })
      const due_at = Date.now() + REPLACED_OBJECT_KEPT_MS
      queue.run({ storage_id: storage_id ?? key, key, due_at, account, bytes })
    },

    /** The object was removed. */
    uncountSuperseded(account: string, bytes: number): void {
      uncount.run({ account, bytes })
    },

    /** Makes as many of the oldest removals due as are needed to free the bytes. Returns the number of freed bytes. */
    dropOldestSuperseded(account: string, bytes: number): number {
      let freed = 0
      while (freed < bytes) {
        const removal = oldest.get({ account })
        if (removal === undefined) break
        makeDue.run({ id: removal.id, now: Date.now() })
        uncount.run({ account, bytes: removal.bytes })
        freed += removal.bytes
      }
      return freed
    },
  }
}
