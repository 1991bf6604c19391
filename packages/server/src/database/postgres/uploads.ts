import type { Asset, AssetStatus } from '../../domain/asset.ts'
import { searchPath, storedFolder } from '../../domain/names.ts'
import { foldText, sortName } from '../../domain/search.ts'
import type { AssetsExceeded, Usage } from '../../domain/usage.ts'
import type {
  NewUpload,
  NoFreeRoom,
  Reservation,
  ResizeOptions,
  Resizing,
} from '../account-data.ts'
import { toTagColumns, toUpload, UPLOAD_COLUMNS, type UploadRow } from '../shared/rows.ts'
import type { AccountMethods, PartialRoom, Room, Writer } from '../shared/wire-account-data.ts'
import {
  execute,
  inTransaction,
  isUniqueViolation,
  readPageWithTotal,
  type Sql,
} from './connection.ts'
import {
  accountSnapshot,
  recordStorageLow,
  recordUploadEvents,
  runAndMark,
  uploadSnapshot,
} from './events.ts'
import { makeRoom, release } from './removals.ts'
import { ASSET_LIMIT_LOCK, STATEMENTS, uploadColumns, uploadStatus } from './rows.ts'
import { hasTooManyTags } from './tags.ts'
import { extendedExpiry, lockToken, refuseToken, refuseTokenGrowth } from './upload-tokens.ts'

interface Resized {
  /** The size before. */
  previous: number
  is_final: boolean
  /** Whether `previous` is not the expected size. */
  is_changed: boolean
  is_reserved: boolean
}

/**
 * Whether the plan limits the number of assets. If it does, others add assets only after the caller's transaction. This
 * does not lock the account's row, which is locked after the assets that an upload removes from the trash.
 */
export async function lockAssetLimit(sql: Sql, account: string): Promise<boolean> {
  const [limited] = await sql`
    select pg_advisory_xact_lock(${ASSET_LIMIT_LOCK}, hashtext(${account}::text)) from accounts
    where id = ${account} and plan_assets is not null`
  return limited !== undefined
}

/** Undefined if the plan allows this many more assets. The caller has called `lockAssetLimit`. */
export async function exceedAssets(
  sql: Sql,
  account: string,
  needed: number,
): Promise<AssetsExceeded | undefined> {
  const room = await execute(sql, STATEMENTS.readAssetRoom, { account })
  if (room === undefined || room.used + needed <= room.limit) return undefined
  return { outcome: 'assets_exceeded', needed, room }
}

export function accountUploads(sql: Sql, writer: Writer): AccountMethods['uploads'] {
  const { account, actor } = writer
  const columns = uploadColumns(sql)

  async function statusOf(id: string): Promise<AssetStatus | undefined> {
    const [row] = await sql<{ status: AssetStatus }[]>`
      select ${uploadStatus(sql)} as status from assets where id = ${id} and account_id = ${account}`
    return row?.status
  }

  async function readUsage(): Promise<Usage> {
    const usage = await execute(sql, STATEMENTS.readPlanUsage, { account })
    return { limit: 0, stored: 0, reserved: 0, ...usage }
  }

  async function noFreeRoom(included = 0): Promise<NoFreeRoom> {
    const [room] = await sql<{ free: number }[]>`
      select plan_storage - stored_bytes - reserved_bytes - superseded_bytes - trash_bytes as free
      from accounts where id = ${account}`
    return { outcome: 'no_free_room', free: (room?.free ?? 0) + included }
  }

  async function findRepeated(key: string, digest: string): Promise<Reservation | undefined> {
    const [row] = await sql<(UploadRow & { request_digest: string })[]>`
      select ${columns}, request_digest from assets
      where account_id = ${account} and idempotency_key = ${key}`
    if (row === undefined) return undefined
    if (row.request_digest !== digest) return { outcome: 'key_reused' }
    return { outcome: 'repeated', upload: toUpload(row) }
  }

  /**
   * One statement for the check, the reservation, the row and its events, so that concurrent uploads can't exceed the
   * plan, and because this is the most frequent change. Undefined if the bytes do not fit, or if the plan limits the number
   * of assets and the caller has not checked it.
   */
  async function tryReserve(
    { upload, keptForMs, idempotency }: NewUpload,
    { isWithinAssets }: { isWithinAssets: boolean },
  ) {
    const { asset } = upload
    const { sha256 } = asset.integrity
    const { tags, search_tags } = toTagColumns(asset.tags)
    const statement = sql<{ expires_at: string | null }[]>`
      with given as (
        select ${asset.bytes}::bigint as size, ${actor}::text::json as actor
      ), reserved as (
        update accounts s set reserved_bytes = reserved_bytes + size, last_event = last_event
          + case when (stored_bytes + reserved_bytes) * 10 < plan_storage * 9
              and (stored_bytes + reserved_bytes + size) * 10 >= plan_storage * 9 then 2 else 1 end
        from given where id = ${account}
          and stored_bytes + reserved_bytes + superseded_bytes + trash_bytes + size <= plan_storage
          and (plan_assets is null or ${isWithinAssets})
        returning id, last_event, size, actor,
          case when (stored_bytes + reserved_bytes - size) * 10 < plan_storage * 9
            and (stored_bytes + reserved_bytes) * 10 >= plan_storage * 9
            then ${accountSnapshot(sql)} end as low
      ), declared as (
        insert into checksums (object_key, bytes, chunk_size, sha256)
        select ${asset.id}, size, ${upload.chunkSize}, ${sha256}::text
        from reserved where ${sha256}::text is not null
      ), s as (
        insert into assets (id, account_id, kind, status, filename, search_name, sort_name, bytes,
          mime, created_at, changed_at, upload_id, chunk_size, expires_at, idempotency_key,
          request_digest, started_by_id, started_by_name, folder, search_path, tags, search_tags,
          replaces, keeps_name, token_id, token_bytes)
        select ${asset.id}, reserved.id, 'file', 'uploading', ${asset.filename},
          ${foldText(asset.filename)}, ${sortName(asset.filename)}, size, ${asset.mime},
          ${asset.createdAt},
          ${asset.createdAt}, ${upload.id}, ${upload.chunkSize}, now() + ${keptForMs} * interval '1 ms',
          ${idempotency?.key ?? null}, ${idempotency?.digest ?? null},
          ${upload.startedBy?.id ?? null}, ${upload.startedBy?.name ?? null},
          ${storedFolder(asset.path)}, ${searchPath(asset.path)}, ${tags}::text[], ${search_tags}::text[],
          ${upload.replaces?.assetId ?? null}::uuid,
          ${upload.replaces?.keepsName ?? false}, ${upload.tokenId}::uuid,
          case when ${upload.tokenId}::uuid is null then null else size end
        from reserved
        returning *
      )
      insert into events (account_id, id, type, created_at, actor, data)
      select reserved.id, last_event - case when low is null then 0 else 1 end, 'upload.started',
        clock_timestamp(), actor, ${uploadSnapshot(sql)} from reserved, s
      union all
      select id, last_event, 'account.storage_low', clock_timestamp(), actor, low
      from reserved where low is not null
      returning data ->> 'expiresAt' as expires_at`
    const rows = await runAndMark(sql, account, statement)
    const expiresAt = rows.find(({ expires_at }) => expires_at !== null)?.expires_at
    return expiresAt == null ? undefined : reservedUntil(new Date(expiresAt))
  }

  /** The lock makes concurrent replacements and deletions of the asset wait for each other. */
  async function refuseReplacement(id: string): Promise<Reservation | undefined> {
    const [asset] = await sql<Pick<Asset, 'kind' | 'status'>[]>`
      select kind, status from assets where id = ${id} and account_id = ${account} and replaces is null
      for no key update`
    if (asset?.kind !== 'file' || asset.status !== 'ready') {
      return { outcome: 'not_replaceable', asset: asset && { ...asset } }
    }
    const [other] = await sql<{ upload_id: string }[]>`
      select upload_id from assets where replaces = ${id} and status in ('uploading', 'completing')`
    return other && { outcome: 'replacement_in_progress', uploadId: other.upload_id }
  }

  async function refuseAsset(): Promise<Reservation | undefined> {
    const isLimited = await lockAssetLimit(sql, account)
    return isLimited ? exceedAssets(sql, account, 1) : undefined
  }

  /** Why the upload is not allowed. Locks its token before the asset that it replaces, in the caller's transaction. */
  async function refuse({ upload }: NewUpload): Promise<Reservation | undefined> {
    const { replaces, tokenId, asset } = upload
    const token = tokenId === null ? null : await lockToken(sql, account, tokenId)
    const refusal = replaces && (await refuseReplacement(replaces.assetId))
    if (refusal) return refusal
    const excess = token === null ? undefined : await refuseToken(sql, token, asset.bytes)
    if (excess) return excess
    return replaces ? undefined : refuseAsset()
  }

  /** If necessary, removes superseded objects and the oldest trash. */
  async function reserve(upload: NewUpload): Promise<Reservation | PartialRoom> {
    const { replaces, tokenId, asset } = upload.upload
    // Most uploads have no token and no tags, replace nothing, and fit into a plan without a limit of assets: one
    // statement, which needs no transaction.
    const isPlain = replaces === null && tokenId === null && asset.tags.length === 0
    const plain = isPlain ? await tryReserve(upload, { isWithinAssets: false }) : undefined
    if (plain) return plain
    return inTransaction(sql, async () => {
      const refusal = await refuse(upload)
      if (refusal) return refusal
      if (await hasTooManyTags(sql, account, asset.tags)) return { outcome: 'too_many_tags' }
      const reserved = await tryReserve(upload, { isWithinAssets: true })
      if (reserved) return reserved
      if (upload.isProvisional) return noFreeRoom()
      const room = await makeRoom(sql, writer, asset.bytes)
      if (room === 'partial') return { outcome: 'partial' }
      const retried =
        room === 'made' ? await tryReserve(upload, { isWithinAssets: true }) : undefined
      if (retried) return retried
      return { outcome: 'storage_exceeded', usage: await readUsage() }
    })
  }

  async function tryResize(id: string, bytes: number, { expectedBytes, tokenId }: ResizeOptions) {
    const [row] = await sql<Resized[]>`
      with upload as (
        select id, account_id, bytes, retry_at is not null as is_final,
          bytes <> coalesce(${expectedBytes ?? null}, bytes) as is_changed
        from assets
        where id = ${id} and account_id = ${account} and status = 'uploading'
        for no key update
      ), reserved as (
        update accounts set reserved_bytes = reserved_bytes + ${bytes} - upload.bytes
        from upload where accounts.id = upload.account_id and not is_final and not is_changed and (${bytes} <= upload.bytes
          or stored_bytes + reserved_bytes + superseded_bytes + trash_bytes + ${bytes} - upload.bytes
            <= plan_storage)
        returning accounts.id
      ), resized as (
        update assets set bytes = ${bytes},
          token_bytes = case when ${tokenId !== undefined} then ${bytes} else token_bytes end
        from reserved where assets.id = ${id}
      )
      select bytes as previous, is_final, is_changed, exists (select from reserved) as is_reserved from upload`
    return row
  }

  function isRefusedByPlan(resized: Resized): boolean {
    return !resized.is_final && !resized.is_changed && !resized.is_reserved
  }

  async function recordResize(id: string, growth: number): Promise<void> {
    if (growth !== 0) await recordUploadEvents(sql, actor, 'upload.updated', [id])
    await recordStorageLow(sql, writer, growth)
  }

  /** If necessary, removes superseded objects and the oldest trash, in the same transaction. */
  async function resize(
    id: string,
    bytes: number,
    options: ResizeOptions = {},
  ): Promise<Resizing | PartialRoom> {
    let room = 'none' as Room
    const { isProvisional = false, tokenId } = options
    const row = await inTransaction(sql, async () => {
      // The token is locked before the asset.
      if (tokenId !== undefined) {
        const token = await lockToken(sql, account, tokenId)
        const excess = await refuseTokenGrowth(sql, token, { id, bytes })
        if (excess) return excess
      }
      let resized = await tryResize(id, bytes, options)
      // The first attempt has locked the upload: assets are locked before accounts.
      if (resized && isRefusedByPlan(resized) && !isProvisional) {
        room = await makeRoom(sql, writer, bytes - resized.previous)
        resized = await tryResize(id, bytes, options)
      }
      if (resized?.is_reserved) await recordResize(id, bytes - resized.previous)
      return resized
    })
    if (row === undefined) return { outcome: 'refused', status: await statusOf(id) }
    if ('outcome' in row) return row
    if (row.is_final) return { outcome: 'final' }
    if (row.is_changed) return { outcome: 'changed' }
    if (row.is_reserved) return { outcome: 'resized' }
    if (isProvisional) return noFreeRoom(row.previous)
    if (room === 'partial') return { outcome: 'partial' }
    const growth = bytes - row.previous
    return { outcome: 'storage_exceeded', usage: await readUsage(), growth }
  }

  return {
    async reserveUpload(upload) {
      const { idempotency } = upload
      if (idempotency === undefined) return reserve(upload)
      for (;;) {
        const earlier = await findRepeated(idempotency.key, idempotency.digest)
        if (earlier !== undefined) return earlier
        try {
          return await reserve(upload)
        } catch (error) {
          // A concurrent call with this key reserved first. Its row exists now, or was dropped again.
          if (!isUniqueViolation(error, 'assets_idempotency')) throw error
        }
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
      const isUnused = sql`id = ${id} and account_id = ${account} and status = 'uploading'
        and storage_id is null`
      const statement = sql`
        with dropped as (
          delete from assets where ${isUnused} and token_id is null returning *
        ), undeclared as (
          delete from checksums c using dropped where c.object_key = dropped.id
        ), freed as (
          update accounts set reserved_bytes = reserved_bytes - dropped.bytes, last_event = last_event + 1
          from dropped where accounts.id = dropped.account_id returning last_event
        )
        insert into events (account_id, id, type, created_at, actor, data)
        select s.account_id, last_event, 'upload.cancelled', clock_timestamp(), ${actor}::text::json,
          ${uploadSnapshot(sql)}
        from dropped s, freed`
      if ((await runAndMark(sql, account, statement)).count > 0) return
      await release(
        sql,
        { id, account, actor, type: 'upload.cancelled' },
        () => sql`
          update assets set status = 'cancelled', changed_at = now(), idempotency_key = null,
            request_digest = null
          where ${isUnused} and token_id is not null`,
      )
    },

    async renewUpload(id, keptForMs) {
      const [renewed] = await sql<{ expires_at: Date }[]>`
        update assets set expires_at = ${extendedExpiry(sql, keptForMs)},
          storage_id = coalesce(storage_id, upload_id::text)
        where id = ${id} and account_id = ${account} and status = 'uploading'
        returning expires_at`
      return renewed?.expires_at
    },

    resizeUpload: resize,
  }
}

function reservedUntil(expiresAt: Date): Reservation {
  return { outcome: 'reserved', expiresAt }
}

export function accountUploadList(sql: Sql, account: string): AccountMethods['uploadList'] {
  return {
    async listUploads({ name, after, page, perPage }) {
      const named = name === undefined ? sql`` : sql`and strpos(search_name, ${name}) > 0`
      const unfinished = sql`
        account_id = ${account} and status in ('uploading', 'completing') ${named}`
      const beforeCursor = after === undefined ? sql`` : sql`and id < ${after.id}`
      const offset = after === undefined ? (page - 1) * perPage : 0
      const { rows, total } = await readPageWithTotal<UploadRow>(sql, {
        count: sql`select count(*) as total from assets where ${unfinished}`,
        page: sql`
          select ${sql(UPLOAD_COLUMNS)} from assets where ${unfinished} ${beforeCursor}
          order by id desc limit ${perPage} offset ${Math.min(offset, Number.MAX_SAFE_INTEGER)}`,
        order: sql`id desc`,
      })
      return { rows: rows.map(toUpload), total }
    },
  }
}
