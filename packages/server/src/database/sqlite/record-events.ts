import type {
  AssetEventType,
  AttachedProduct,
  AttachmentEventType,
  EventType,
  UploadEventType,
} from '../../domain/event.ts'
import type { Writer } from '../cache-account-data.ts'
import type { UploadRow } from './rows.ts'
import { ASSET_SNAPSHOT, uploadSnapshot } from './snapshots.ts'
import type { Connection } from './statement.ts'

/**
 * Records events, in the caller's transaction. `id` is the account's `last_event`, if the caller has incremented it
 * with its own statement: the most frequent changes do so.
 */
export function prepareRecordEvents({ prepare, markEvents }: Connection) {
  const take = prepare<{ last_event: number }>(
    'update accounts set last_event = last_event + 1 where id = :account returning last_event',
  )
  const columns = 'events (account_id, id, type, created_at, actor, data)'
  const insert = prepare(
    `insert into ${columns} values (:account, :id, :type, :now, :actor, :data)`,
  )
  const insertAsset = prepare(
    `insert into ${columns} select :account, :id, :type, :now, :actor, json_object(${ASSET_SNAPSHOT})
     from assets where seq = :seq`,
  )
  const insertDamage = prepare(
    `insert into ${columns}
     select :account, :id, :type, :now, :actor, json_object(${ASSET_SNAPSHOT}, 'damagedVersion', :version)
     from assets where seq = :seq`,
  )
  const insertAttachment = prepare(
    `insert into ${columns}
     select :account, :id, :type, :now, :actor, json_object(${ASSET_SNAPSHOT}, 'products', json(:products))
     from assets where seq = :seq`,
  )
  const newlyLow = prepare<object>(
    `select name, plan_name as planName, plan_storage as "limit", stored_bytes as stored,
       reserved_bytes as reserved, trash_bytes as trash, asset_count as assets
     from accounts where id = :account and (stored_bytes + reserved_bytes) * 10 >= plan_storage * 9
       and (stored_bytes + reserved_bytes - :growth) * 10 < plan_storage * 9`,
  )

  function takeId({ account }: Writer): number {
    const id = take.get({ account })?.last_event
    if (id === undefined) throw new Error(`there is no account ${account}`)
    return id
  }

  function headOf({ account, actor }: Writer, type: EventType, id: number) {
    markEvents(account)
    return { account, actor, type, id, now: Date.now() }
  }

  function recordEvent(
    writer: Writer,
    type: EventType,
    data: object,
    id: number = takeId(writer),
  ): void {
    insert.run({ ...headOf(writer, type, id), data: JSON.stringify(data) })
  }

  return {
    recordEvent,

    recordAsset(
      writer: Writer,
      type: AssetEventType,
      seq: number,
      id: number = takeId(writer),
    ): void {
      insertAsset.run({ ...headOf(writer, type, id), seq })
    },

    recordDamage(writer: Writer, { seq, version }: { seq: number; version: number }): void {
      insertDamage.run({ ...headOf(writer, 'asset.damaged', takeId(writer)), seq, version })
    },

    recordAttachment(
      writer: Writer,
      type: AttachmentEventType,
      { seq, products }: { seq: number; products: AttachedProduct[] },
    ): void {
      const head = headOf(writer, type, takeId(writer))
      insertAttachment.run({ ...head, seq, products: JSON.stringify(products) })
    },

    recordUpload(writer: Writer, type: UploadEventType, row: UploadRow): void {
      recordEvent(writer, type, uploadSnapshot(row))
    },

    /** Records that the plan is almost used up, if these additional bytes made the usage cross 90 % of it. */
    recordStorageLow(writer: Writer, growth: number): void {
      if (growth <= 0) return
      const row = newlyLow.get({ account: writer.account, growth })
      if (row !== undefined) recordEvent(writer, 'account.storage_low', row)
    },
  }
}
