import type { AssetStatus } from '../../domain/asset.ts'
import type { Usage } from '../../domain/plan.ts'
import { foldText } from '../../domain/search-text.ts'
import type { AccountData, NewUpload, Reservation, Transition } from '../account-data.ts'
import { statusBut } from '../status-but.ts'
import { begin, type Sql } from './connection.ts'
import { isUniqueViolation } from './outages.ts'
import { toUpload, UPLOAD_COLUMNS, type UploadRow } from './rows.ts'
import { transition } from './transition.ts'

type Uploads = Pick<
  AccountData,
  | 'reserveUpload'
  | 'recordStorageId'
  | 'dropReservation'
  | 'findUpload'
  | 'beginCompletion'
  | 'reopenUpload'
  | 'finishCompletion'
  | 'abandonCompletion'
  | 'cancelUpload'
  | 'renewUpload'
  | 'resizeUpload'
>

interface Change {
  from: AssetStatus
  to: AssetStatus
  now: Date
}

export function ownUploads(sql: Sql, account: string): Uploads {
  const columns = sql(UPLOAD_COLUMNS)

  async function stateOf(id: string): Promise<{ status: AssetStatus; bytes: number } | undefined> {
    const [row] = await sql<{ status: AssetStatus; bytes: number }[]>`
      select status, bytes from assets where id = ${id} and account_id = ${account}`
    return row
  }

  const statusOf = async (id: string) => (await stateOf(id))?.status

  async function readUsage(): Promise<Usage> {
    const [usage] = await sql<Usage[]>`
      select plan_storage as "limit", stored_bytes as stored, reserved_bytes as reserved
      from accounts where id = ${account}`
    return { limit: 0, stored: 0, reserved: 0, ...usage }
  }

  /** A compare-and-set: `from` is part of the condition. */
  async function move(
    id: string,
    { from, to, now, bytes }: Change & { bytes?: number | undefined },
  ): Promise<Transition<'resized'>> {
    const change = async () => {
      const moved = await sql`
        update assets set status = ${to}, changed_at = ${now}, retry_at = null
        where id = ${id} and account_id = ${account} and status = ${from}
          and bytes = coalesce(${bytes ?? null}, bytes)`
      return moved.count === 1
    }
    const readStatus = async () => statusBut(await stateOf(id), bytes)
    return transition({ from, to, change, readStatus })
  }

  /**
   * Ends an unfinished upload: its bytes are free, its links gone. Its parts are noted for removal,
   * and so is the object that an interrupted completion may have made.
   */
  async function release(id: string, { from, to, now }: Change): Promise<Transition> {
    const change = async (transaction: Sql) => {
      const ended = await transaction`
        update assets set status = ${to}, changed_at = ${now}
        where id = ${id} and account_id = ${account} and status = ${from}`
      if (ended.count === 0) return false
      // A statement of its own: it sees the links that were made while the row was waited for.
      await transaction`
        with ended as (
          select id, account_id, bytes, storage_id, upload_id from assets where id = ${id}
        ), freed as (
          update accounts set reserved_bytes = reserved_bytes - ended.bytes
          from ended where accounts.id = ended.account_id
        ), unlinked as (
          delete from asset_products using ended where asset_id = ended.id
        )
        insert into removals (kind, storage_id, key, due_at)
        select kind, coalesce(storage_id, upload_id::text), id::text, ${now}
        from ended, unnest(array['upload', 'object']) as kind`
      return true
    }
    const readStatus = () => statusOf(id)
    return transition({ from, to, change: () => begin(sql, change), readStatus })
  }

  async function repeated(key: string, digest: string): Promise<Reservation | undefined> {
    const [row] = await sql<(UploadRow & { request_digest: string })[]>`
      select ${columns}, request_digest from assets
      where account_id = ${account} and idempotency_key = ${key}`
    if (row === undefined) return undefined
    if (row.request_digest !== digest) return { outcome: 'key_reused' }
    return { outcome: 'repeated', upload: toUpload(row) }
  }

  /** The check, the reservation and the row are one statement: nothing oversells a plan. */
  async function reserve({ upload, keptForMs, idempotency }: NewUpload): Promise<Reservation> {
    const { asset } = upload
    const [row] = await sql`
      with reserved as (
        update accounts set reserved_bytes = reserved_bytes + ${asset.bytes}
        where id = ${account} and stored_bytes + reserved_bytes + ${asset.bytes} <= plan_storage
        returning id
      )
      insert into assets (id, account_id, kind, status, filename, search_name, bytes, mime,
        created_at, changed_at, upload_id, chunk_size, expires_at, idempotency_key, request_digest)
      select ${asset.id}, reserved.id, 'file', 'uploading', ${asset.filename},
        ${foldText(asset.filename)}, ${asset.bytes}, ${asset.mime}, ${asset.createdAt},
        ${asset.createdAt}, ${upload.id}, ${upload.chunkSize}, now() + ${keptForMs} * interval '1 ms',
        ${idempotency?.key ?? null}, ${idempotency?.digest ?? null}
      from reserved
      returning id`
    if (row !== undefined) return { outcome: 'reserved' }
    return { outcome: 'storage_exceeded', usage: await readUsage() }
  }

  return {
    async reserveUpload(upload) {
      const { idempotency } = upload
      if (idempotency === undefined) return reserve(upload)
      const earlier = await repeated(idempotency.key, idempotency.digest)
      if (earlier !== undefined) return earlier
      try {
        return await reserve(upload)
      } catch (error) {
        if (!isUniqueViolation(error, 'assets_idempotency')) throw error
        // Another call with this key was quicker, and its row is there now.
        const winner = await repeated(idempotency.key, idempotency.digest)
        if (winner === undefined) throw error
        return winner
      }
    },

    async recordStorageId(id, { previous, storageId }) {
      const recorded = await sql`
        update assets set storage_id = ${storageId}
        where id = ${id} and account_id = ${account} and status = 'uploading'
          and coalesce(storage_id, upload_id::text) = ${previous}`
      return recorded.count === 1
    },

    async dropReservation(id) {
      await sql`
        with dropped as (
          delete from assets where id = ${id} and account_id = ${account} and status = 'uploading'
            and storage_id is null
          returning account_id, bytes
        )
        update accounts set reserved_bytes = reserved_bytes - dropped.bytes
        from dropped where accounts.id = dropped.account_id`
    },

    async findUpload(id) {
      const [row] = await sql<UploadRow[]>`
        select ${columns} from assets
        where id = ${id} and account_id = ${account} and upload_id is not null`
      return row && toUpload(row)
    },

    beginCompletion: (id, now, bytes) =>
      move(id, { from: 'uploading', to: 'completing', now, bytes }),

    async reopenUpload(id, now) {
      await move(id, { from: 'completing', to: 'uploading', now })
    },

    async finishCompletion(id, now, bytes) {
      const [row] = await sql`
        with stored as (
          update assets set status = 'ready', changed_at = ${now}
          where id = ${id} and account_id = ${account} and status = 'completing'
            and bytes = coalesce(${bytes ?? null}, bytes)
          returning account_id, bytes
        )
        update accounts set reserved_bytes = reserved_bytes - stored.bytes,
          stored_bytes = stored_bytes + stored.bytes, asset_count = asset_count + 1
        from stored where accounts.id = stored.account_id
        returning accounts.id`
      return row ? 'ready' : statusBut(await stateOf(id), bytes)
    },

    async abandonCompletion(id, now) {
      const [overdue] = await sql`
        select from assets where id = ${id} and account_id = ${account} and expires_at <= now()`
      if (overdue !== undefined) await release(id, { from: 'completing', to: 'expired', now })
    },

    cancelUpload: (id, now) => release(id, { from: 'uploading', to: 'cancelled', now }),

    async renewUpload(id, keptForMs) {
      const renewed = await sql`
        update assets set expires_at = now() + ${keptForMs} * interval '1 ms'
        where id = ${id} and account_id = ${account} and status = 'uploading'`
      return renewed.count === 1
    },

    async resizeUpload(id, bytes) {
      const [row] = await sql<{ previous: number; is_reserved: boolean }[]>`
        with upload as (
          select id, account_id, bytes from assets
          where id = ${id} and account_id = ${account} and status = 'uploading'
          for no key update
        ), reserved as (
          update accounts set reserved_bytes = reserved_bytes + ${bytes} - upload.bytes
          from upload where accounts.id = upload.account_id and (${bytes} <= upload.bytes
            or stored_bytes + reserved_bytes + ${bytes} - upload.bytes <= plan_storage)
          returning accounts.id
        ), resized as (
          update assets set bytes = ${bytes} from reserved where assets.id = ${id}
        )
        select bytes as previous, exists (select from reserved) as is_reserved from upload`
      if (row === undefined) return { outcome: 'refused', status: await statusOf(id) }
      if (row.is_reserved) return { outcome: 'resized' }
      const growth = bytes - row.previous
      return { outcome: 'storage_exceeded', usage: await readUsage(), growth }
    },
  }
}
