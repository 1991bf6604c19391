import { REPLACED_OBJECT_KEPT_MS } from '../claim-times.ts'
import { isWithheld } from './rows.ts'
import type { Connection } from './statement.ts'

interface SupersededVersion {
  object_key: string
  storage_id: string | null
  bytes: number
  trashed: number
}

/** Versions that are no longer kept, but whose objects downloads may still need. Runs in the caller's transaction. */
export function prepareSuperseded({ prepare }: Connection) {
  // Downloads get the last version that is not withheld, unless the current version is not withheld.
  const removeOldest = prepare<SupersededVersion>(
    `delete from asset_versions where asset_id = :id and version in (
       select version from asset_versions where asset_id = :id
       order by replaced_in desc limit -1 offset :keep)
     and version is not (
       select v.version from asset_versions v
       where v.asset_id = :id and not ${isWithheld('v.object_key')} and exists (
         select 1 from assets where id = :id and ${isWithheld('coalesce(assets.object_key, assets.id)')})
       order by v.replaced_in desc limit 1)
     returning object_key, storage_id, bytes, trashed`,
  )
  const queue = prepare(
    `insert into removals (kind, storage_id, key, due_at, account_id, bytes)
     values ('object', :storage_id, :key, :due_at, :account, :bytes)`,
  )
  const count = prepare(
    `update accounts set stored_bytes = stored_bytes - iif(:trashed, 0, :bytes),
       trash_bytes = trash_bytes - iif(:trashed, :bytes, 0),
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
    /**
     * Removes the older versions of an asset, which may be in the trash, except for the `keep` that were replaced last,
     * and the one that downloads get. Their bytes are available immediately, and their objects are removed after an hour.
     */
    supersedeOldest(account: string, assetId: string, keep: number): void {
      const due_at = Date.now() + REPLACED_OBJECT_KEPT_MS
      const removed = removeOldest.all({ id: assetId, keep })
      for (const { object_key: key, storage_id, bytes, trashed } of removed) {
        count.run({ account, bytes, trashed })
        queue.run({ storage_id: storage_id ?? key, key, due_at, account, bytes })
      }
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
