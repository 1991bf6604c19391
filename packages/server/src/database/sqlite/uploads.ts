import type { Asset, AssetStatus, Upload } from '../../domain/asset.ts'
import { searchPath, storedFolder } from '../../domain/names.ts'
import { rowRangeOf } from '../../domain/paging.ts'
import { foldText, sortName } from '../../domain/search.ts'
import type { AssetsExceeded, Usage } from '../../domain/usage.ts'
import type {
  NewUpload,
  NoFreeRoom,
  Reservation,
  ResizeOptions,
  Resizing,
  Rows,
  UploadQuery,
} from '../account-data.ts'
import { toTagColumns, toUpload } from '../shared/rows.ts'
import type { PartialRoom, Room, Writer } from '../shared/wire-account-data.ts'
import { prepareChecksums } from './checksums.ts'
import { type Connection, encode } from './connection.ts'
import { newUploadSnapshot, prepareRecordEvents } from './events.ts'
import { prepareMakeRoom, prepareRelease } from './removals.ts'
import { OWN_ASSET, STATEMENTS, UPLOAD_COLUMNS, UPLOAD_STATUS, type UploadRow } from './rows.ts'
import { countFew, type LongReads, type Scan, scanList } from './scan.ts'
import type { Filter } from './search.ts'
import { prepareTagLimit } from './tags.ts'
import { EXTENDED_EXPIRY, prepareUploadTokens } from './upload-tokens.ts'

interface Reserved {
  /** The ID of the event. */
  last_event: number
  /** Whether 90 % of the plan is used. */
  is_low: number
}

export function prepareUploads(connection: Connection) {
  const { prepare, transaction, execute } = connection
  const makeRoom = prepareMakeRoom(connection)
  const { declareChecksum, removeChecksum } = prepareChecksums(connection)
  const { refuseToken, refuseTokenGrowth } = prepareUploadTokens(connection)
  const release = prepareRelease(connection)
  const hasTooManyTags = prepareTagLimit(connection)
  const { recordEvent, recordUpload, recordStorageLow } = prepareRecordEvents(connection)
  // The check and the reservation are one statement, so that concurrent uploads can't exceed the plan.
  const reserve = prepare<Reserved>(
    `update accounts set reserved_bytes = reserved_bytes + :bytes, last_event = last_event + 1
     where id = :account
       and stored_bytes + reserved_bytes + superseded_bytes + trash_bytes + :bytes <= plan_storage
     returning last_event, (stored_bytes + reserved_bytes) * 10 >= plan_storage * 9 as is_low`,
  )
  const free = prepare(
    'update accounts set reserved_bytes = reserved_bytes - :bytes where id = :account',
  )
  const freeRoom = prepare<{ free: number }>(
    `select plan_storage - stored_bytes - reserved_bytes - superseded_bytes - trash_bytes as free
     from accounts where id = :account`,
  )
  const insert = prepare(
    `insert into assets (id, account_id, kind, status, filename, search_name, sort_name, bytes, mime,
       created_at, changed_at, upload_id, chunk_size, expires_at, idempotency_key,
       request_digest, started_by_id, started_by_name, folder, search_path, tags, search_tags,
       replaces, keeps_name, token_id, token_bytes)
     values (:id, :account, 'file', 'uploading', :filename, :search_name, :sort_name, :bytes, :mime,
       :created_at, :created_at, :upload_id, :chunk_size, :expires_at, :key, :digest,
       :started_by_id, :started_by_name, :folder, :search_path, :tags, :search_tags, :replaces,
       :keeps_name, :token_id, :token_bytes)`,
  )
  const byIdempotencyKey = prepare<UploadRow & { request_digest: string }>(
    `select ${UPLOAD_COLUMNS}, request_digest from assets
     where account_id = :account and idempotency_key = :key`,
  )
  const replaced = prepare<Pick<Asset, 'kind' | 'status'>>(
    `select kind, status from assets where ${OWN_ASSET} and replaces is null`,
  )
  const unfinishedReplacement = prepare<{ upload_id: string }>(
    `select upload_id from assets
     where replaces = :id and replaces is not null and status in ('uploading', 'completing')`,
  )
  const setStorageId = prepare(
    `update assets set storage_id = :storage_id where ${OWN_ASSET} and status = 'uploading'
     and coalesce(storage_id, upload_id) = :previous`,
  )
  const isUnused = `${OWN_ASSET} and status = 'uploading' and storage_id is null`
  const remove = prepare<UploadRow>(
    `delete from assets where ${isUnused} and token_id is null returning ${UPLOAD_COLUMNS}`,
  )
  const cancelUnused = prepare<UploadRow>(
    `update assets set status = 'cancelled', changed_at = :now, idempotency_key = null,
       request_digest = null
     where ${isUnused} and token_id is not null returning ${UPLOAD_COLUMNS}`,
  )
  const renew = prepare<{ expires_at: number }>(
    `update assets set expires_at = ${EXTENDED_EXPIRY}, storage_id = coalesce(storage_id, upload_id)
     where ${OWN_ASSET} and status = 'uploading' returning expires_at`,
  )
  const state = prepare<{ status: AssetStatus; bytes: number; retry_at: number | null }>(
    `select ${UPLOAD_STATUS} as status, bytes, retry_at from assets where ${OWN_ASSET}`,
  )
  // A smaller reservation always fits, even if the plan was reduced below the current usage.
  const resizeReservation = prepare(
    `update accounts set reserved_bytes = reserved_bytes + :growth
     where id = :account
       and (:growth <= 0
         or stored_bytes + reserved_bytes + superseded_bytes + trash_bytes + :growth <= plan_storage)`,
  )
  const resize = prepare<UploadRow>(
    `update assets set bytes = :bytes, token_bytes = iif(:by_token, :bytes, token_bytes) where ${OWN_ASSET} and status = 'uploading'
     returning ${UPLOAD_COLUMNS}`,
  )

  /** Superseded objects and the oldest trash are removed, if that makes the bytes fit. */
  function reserveBytes(writer: Writer, bytes: number): Reserved | Exclude<Room, 'made'> {
    const { account } = writer
    const row = reserve.get({ account, bytes })
    if (row !== undefined) return row
    const room = makeRoom(writer, bytes)
    if (room !== 'made') return room
    return reserve.get({ account, bytes }) ?? 'none'
  }

  function reserveGrowth(writer: Writer, growth: number): Room {
    const { account } = writer
    if (resizeReservation.run({ account, growth }) === 1) return 'made'
    const room = makeRoom(writer, growth)
    if (room !== 'made') return room
    return resizeReservation.run({ account, growth }) === 1 ? 'made' : 'none'
  }

  function noFreeRoom(account: string, included = 0): NoFreeRoom {
    const free = (freeRoom.get({ account })?.free ?? 0) + included
    return { outcome: 'no_free_room', free }
  }

  function usageOf(account: string): Usage {
    return { limit: 0, stored: 0, reserved: 0, ...execute(STATEMENTS.readPlanUsage, { account }) }
  }

  function findRepeated(account: string, key: string, digest: string): Reservation | undefined {
    const row = byIdempotencyKey.get({ account, key })
    if (row === undefined) return undefined
    if (row.request_digest !== digest) return { outcome: 'key_reused' }
    return { outcome: 'repeated', upload: toUpload(row) }
  }

  /** Why the asset can't be replaced; undefined if it can. */
  function refuseReplacement(account: string, id: string): Reservation | undefined {
    const asset = replaced.get({ account, id })
    if (asset?.kind !== 'file' || asset.status !== 'ready') {
      return { outcome: 'not_replaceable', asset: asset && { ...asset } }
    }
    const other = unfinishedReplacement.get({ id })
    return other && { outcome: 'replacement_in_progress', uploadId: other.upload_id }
  }

  return {
    reserveUpload(
      writer: Writer,
      { upload, keptForMs, idempotency, isProvisional = false }: NewUpload,
    ): Reservation | PartialRoom {
      const { account } = writer
      const { asset } = upload
      return transaction(() => {
        if (idempotency !== undefined) {
          const earlier = findRepeated(account, idempotency.key, idempotency.digest)
          if (earlier !== undefined) return earlier
        }
        const { replaces } = upload
        const refusal = replaces && refuseReplacement(account, replaces.assetId)
        if (refusal) return refusal
        const { tokenId } = upload
        const excess = tokenId && refuseToken(account, tokenId, asset.bytes)
        if (excess) return excess
        const exceeded = replaces ? undefined : exceedAssets(connection, account, 1)
        if (exceeded) return exceeded
        if (hasTooManyTags(account, asset.tags)) return { outcome: 'too_many_tags' }
        const reserved = isProvisional
          ? (reserve.get({ account, bytes: asset.bytes }) ?? noFreeRoom(account))
          : reserveBytes(writer, asset.bytes)
        if (reserved === 'partial') return { outcome: 'partial' }
        if (reserved === 'none') {
          return { outcome: 'storage_exceeded', usage: usageOf(account) }
        }
        if ('outcome' in reserved) return reserved
        const expires_at = Date.now() + keptForMs
        insert.run({
          id: asset.id,
          account,
          filename: asset.filename,
          search_name: foldText(asset.filename),
          sort_name: sortName(asset.filename),
          bytes: asset.bytes,
          mime: asset.mime,
          created_at: asset.createdAt.getTime(),
          upload_id: upload.id,
          chunk_size: upload.chunkSize,
          expires_at,
          key: idempotency?.key ?? null,
          digest: idempotency?.digest ?? null,
          started_by_id: upload.startedBy?.id ?? null,
          started_by_name: upload.startedBy?.name ?? null,
          folder: storedFolder(asset.path),
          search_path: searchPath(asset.path),
          ...encode(toTagColumns(asset.tags)),
          replaces: replaces?.assetId ?? null,
          keeps_name: Number(replaces?.keepsName ?? false),
          token_id: tokenId,
          token_bytes: tokenId && asset.bytes,
        })
        const { sha256 } = asset.integrity
        const object = { key: asset.id, bytes: asset.bytes, chunkSize: upload.chunkSize }
        if (sha256 !== null) declareChecksum(object, sha256)
        const snapshot = newUploadSnapshot(upload, expires_at)
        recordEvent(writer, 'upload.started', snapshot, reserved.last_event)
        if (reserved.is_low) recordStorageLow(writer, asset.bytes)
        return { outcome: 'reserved', expiresAt: new Date(expires_at) }
      })
    },

    recordStorageId(
      { account }: Writer,
      id: string,
      { previous, storageId }: { previous: string; storageId: string },
    ): boolean {
      return setStorageId.run({ account, id, previous, storage_id: storageId }) === 1
    },

    dropReservation(writer: Writer, id: string): void {
      const { account } = writer
      transaction(() => {
        const row = remove.get({ account, id })
        if (row === undefined) {
          const cancelled = cancelUnused.get({ account, id, now: Date.now() })
          if (cancelled !== undefined) release(writer.actor, 'upload.cancelled', cancelled)
          return
        }
        free.run({ account, bytes: row.bytes })
        removeChecksum(id)
        recordUpload(writer, 'upload.cancelled', row)
      })
    },

    renewUpload({ account }: Writer, id: string, keptForMs: number): Date | undefined {
      const now = Date.now()
      const row = renew.get({ account, id, now, expires_at: now + keptForMs })
      return row && new Date(row.expires_at)
    },

    resizeUpload(
      writer: Writer,
      id: string,
      bytes: number,
      { isProvisional = false, expectedBytes, tokenId }: ResizeOptions = {},
    ): Resizing | PartialRoom {
      const { account } = writer
      return transaction(() => {
        const row = state.get({ account, id })
        if (row?.status !== 'uploading') return { outcome: 'refused', status: row?.status }
        if (row.retry_at !== null) return { outcome: 'final' }
        if (row.bytes !== (expectedBytes ?? row.bytes)) return { outcome: 'changed' }
        const growth = bytes - row.bytes
        const excess = tokenId && refuseTokenGrowth(account, tokenId, { id, bytes })
        if (excess) return excess
        if (isProvisional && resizeReservation.run({ account, growth }) === 0) {
          return noFreeRoom(account, row.bytes)
        }
        const room = isProvisional ? 'made' : reserveGrowth(writer, growth)
        if (room === 'partial') return { outcome: 'partial' }
        if (room === 'none') {
          return { outcome: 'storage_exceeded', usage: usageOf(account), growth }
        }
        const by_token = Number(tokenId !== undefined)
        const resized = resize.get({ account, id, bytes, by_token })
        if (resized && growth !== 0) recordUpload(writer, 'upload.updated', resized)
        recordStorageLow(writer, growth)
        return { outcome: 'resized' }
      })
    },
  }
}

/** Whether the plan allows this many more assets, in the caller's transaction. Undefined if it does. */
export function exceedAssets(
  { execute }: Connection,
  account: string,
  needed: number,
): AssetsExceeded | undefined {
  const room = execute(STATEMENTS.readAssetRoom, { account })
  if (room === undefined || room.used + needed <= room.limit) return undefined
  return { outcome: 'assets_exceeded', needed, room: { ...room } }
}

/** Must repeat the condition of the partial index literally; otherwise SQLite does not use the index. */
const UNFINISHED = `account_id = :account and status in ('uploading', 'completing')`

export function prepareUploadList(connection: Connection, longReads: LongReads) {
  function readPage(
    account: string,
    query: UploadQuery,
    { filter, total }: { filter: Filter; total: number },
  ): UploadRow[] {
    const { isFromEnd, offset, limit } = rowRangeOf(query, total)
    if (limit === 0) return []
    const { after } = query
    const conditions = [UNFINISHED, ...filter.conditions]
    if (after) conditions.push('id < :after')
    const page = connection.prepare<UploadRow>(
      `select ${UPLOAD_COLUMNS} from assets where ${conditions.join(' and ')}
       order by id ${isFromEnd ? 'asc' : 'desc'} limit +:limit offset :offset`,
    )
    const cursor = after && { after: after.id }
    const rows = page.all({ account, ...filter.parameters, ...cursor, limit, offset })
    return isFromEnd ? rows.reverse() : rows
  }

  function scan(account: string, query: UploadQuery, filter: Filter): Promise<Rows<UploadRow>> {
    const list: Scan = {
      account,
      table: 'assets',
      index: 'assets_unfinished',
      own: UNFINISHED,
      order: ['id'],
      descending: true,
      filter,
      after: query.after && [query.after.id],
    }
    return scanList(longReads, { scan: list, page: query, columns: UPLOAD_COLUMNS })
  }

  return {
    async listUploads({ account }: Writer, query: UploadQuery): Promise<Rows<Upload>> {
      const { name } = query
      const filter: Filter =
        name === undefined
          ? { conditions: [], parameters: {} }
          : { conditions: ['instr(search_name, :name) > 0'], parameters: { name } }
      const from = `assets where ${UNFINISHED}`
      const { conditions, parameters } = filter
      const total = countFew(
        connection,
        { from, table: 'assets', conditions },
        { account, ...parameters },
      )
      const { rows, total: all } =
        total === undefined
          ? await scan(account, query, filter)
          : { rows: readPage(account, query, { filter, total }), total }
      return { rows: rows.map(toUpload), total: all }
    },
  }
}
