import type { Asset, Upload } from '../../domain/asset.ts'
import { folderRange } from '../../domain/names.ts'
import { rowRangeOf } from '../../domain/paging.ts'
import { foldText } from '../../domain/search.ts'
import type { Rows } from '../account-data.ts'
import { TRASH_JOB } from '../shared/events.ts'
import { toAsset } from '../shared/rows.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import {
  type AssetsOutcome,
  type AssetsRestoreOutcome,
  CORRECTED_TIMES,
  type TrashAll,
  type TrashedAsset,
  type TrashQuery,
} from '../trash-data.ts'
import type { Connection } from './connection.ts'
import { prepareRecordEvents } from './events.ts'
import type { Steps } from './long-writes.ts'
import { preparePurge, preparePurgeOldest } from './removals.ts'
import { ASSET_COLUMNS, type AssetRow, STATEMENTS, UPLOAD_COLUMNS, type UploadRow } from './rows.ts'
import { countFew, type LongReads, type Scan, scanList, selectIds } from './scan.ts'
import { type Filter, prepareNameIndex } from './search.ts'
import { exceedAssets } from './uploads.ts'
import { prepareReplacements } from './versions.ts'

/** Must repeat the condition of the partial index literally; otherwise SQLite does not use the index. */
const IN_TRASH = 'account_id = :account and trashed_at is not null'

interface Mark extends TrashAll {
  after: string | null
}

type Apply = (actor: string, row: UploadRow) => Upload | undefined

/** Changes of several assets, all or none. There may be many, so each asset is a step. */
export function prepareBulkTrash(connection: Connection) {
  const { prepare, execute } = connection
  const { moveToTrash, deletePermanently } = prepareDeletion(connection)
  const except = prepareExcept(connection)
  const { countRestored, restoreRow } = prepareRestoreRows(connection)
  const { recordAsset, recordStorageLow } = prepareRecordEvents(connection)
  const deletable = prepare<UploadRow>(
    `select ${UPLOAD_COLUMNS} from assets
     where id in (select value from json_each(:ids)) and account_id = :account and ${DELETABLE}`,
  )
  const bySeq = prepare<AssetRow>(`select ${ASSET_COLUMNS} from assets where seq = :seq`)

  /** The rows of the assets that are ready or in the trash, and the IDs of the others. */
  function find(account: string, ids: string[]) {
    const rows = deletable.all({ account, ids: JSON.stringify(ids) })
    return { rows, unknown: unknownOf(ids, rows) }
  }

  function* change(
    { account, actor }: Writer,
    ids: string[],
    { isAffected, apply }: { isAffected: (row: UploadRow) => boolean; apply: Apply },
  ): Steps<AssetsOutcome> {
    const { rows, unknown } = find(account, ids)
    if (unknown.length > 0) return { outcome: 'assets_not_found', unknown }
    const changed = rows.filter(isAffected)
    const replacements: Upload[] = []
    for (const row of changed) {
      const replacement = apply(actor, row)
      if (replacement) replacements.push(replacement)
      yield
    }
    return { outcome: 'done', changed: changed.map(({ id }) => id), replacements }
  }

  return {
    trashAssets: (writer: Writer, ids: string[]) =>
      change(writer, ids, { isAffected: ({ status }) => status === 'ready', apply: moveToTrash }),

    deleteAssets: (writer: Writer, ids: string[], isFromTrash = false) =>
      change(writer, ids, {
        isAffected: ({ status }) => !isFromTrash || status !== 'ready',
        apply: deletePermanently,
      }),

    *restoreAssets(writer: Writer, ids: string[]): Steps<AssetsRestoreOutcome> {
      const { account } = writer
      const { rows, unknown } = find(account, ids)
      if (unknown.length > 0) return { outcome: 'assets_not_found', unknown }
      const trashed = rows.filter(({ status }) => status !== 'ready')
      const exceeded = trashed.length > 0 && exceedAssets(connection, account, trashed.length)
      if (exceeded) return exceeded
      const { isCounted, needed } = countRestored(account, trashed)
      if (!isCounted) {
        const used = {
          limit: 0,
          stored: 0,
          reserved: 0,
          ...execute(STATEMENTS.readPlanUsage, { account }),
        }
        return { outcome: 'storage_exceeded', usage: used, needed }
      }
      for (const row of trashed) {
        restoreRow(row)
        recordAsset(writer, 'asset.restored', row.seq)
        yield
      }
      const restored = trashed.map(({ id }) => id)
      except(account, restored)
      recordStorageLow(writer, needed)
      const assets: Asset[] = []
      for (const { seq } of rows) {
        const row = bySeq.get({ seq })
        if (row) assets.push(toAsset(row))
        yield
      }
      return { outcome: 'restored', assets: inOrderOf(ids, assets), changed: restored }
    },
  }
}

/** Fewer than `TRASH_BATCH`, because a transaction blocks the event loop: about ten milliseconds. */
const BATCH = 40

/** The trash, in batches. */
export function prepareTrash(connection: Connection) {
  const { prepare, transaction } = connection
  const { moveToTrash } = prepareDeletion(connection)
  const purge = preparePurge(connection)
  const purgeOldest = preparePurgeOldest(connection)
  const mark = prepare(
    `update accounts set trash_until_by = :actor, trash_after = null,
       trash_until = (
         select max(id) from assets where account_id = :account and status = 'ready')
     where id = :account`,
  )
  const importMark = prepare(
    `update accounts set trash_until = :until, trash_until_by = :by
     where id = :account and trash_until is null`,
  )
  const unmark = prepare(
    `update accounts set trash_until = null, trash_until_by = null, trash_after = null
     where id = :account`,
  )
  const advance = prepare('update accounts set trash_after = :after where id = :account')
  const readMark = prepare<Mark>(
    `select trash_until as until, trash_after as after, trash_until_by as "by"
     from accounts where id = :account and trash_until is not null`,
  )
  const nextReady = prepare<UploadRow & { is_excepted: number }>(
    `select ${UPLOAD_COLUMNS}, exists (
       select 1 from trash_exceptions where account_id = :account and asset_id = assets.id
     ) as is_excepted
     from assets
     where account_id = :account and status = 'ready' and id > :after and id <= :until
     order by id limit ${BATCH}`,
  )
  const forgetExceptions = prepare(
    'delete from trash_exceptions where account_id = :account and asset_id <= :until',
  )
  const forgetAllExceptions = prepare('delete from trash_exceptions where account_id = :account')
  const oldest = prepare<UploadRow>(
    `select ${UPLOAD_COLUMNS} from assets where ${IN_TRASH} and trashed_at <= :until
     order by trashed_at, id limit ${BATCH}`,
  )
  const oldestOfAll = prepare<UploadRow>(
    `select ${UPLOAD_COLUMNS} from assets where trashed_at is not null and trashed_at <= :until
     order by trashed_at limit ${BATCH}`,
  )

  // Finds an asset that was deleted while the clock was ahead.
  const anyInFuture = prepare<{ seq: number }>(
    'select seq from assets where trashed_at is not null and trashed_at > :now limit 1',
  )
  const correctTimes = prepare(
    `update assets set trashed_at = :now where seq in (
       select seq from assets where trashed_at is not null and trashed_at > :now
       limit ${CORRECTED_TIMES})`,
  )

  return {
    beginTrashAll({ account, actor }: Writer): void {
      transaction(() => {
        mark.run({ account, actor })
        forgetAllExceptions.run({ account })
      })
    },

    continueTrashAll({ account }: Writer): number {
      return transaction(() => {
        const pending = readMark.get({ account })
        if (pending === undefined) return 0
        const { until, by } = pending
        const rows = nextReady.all({ account, until, after: pending.after ?? '' })
        for (const row of rows) if (!row.is_excepted) moveToTrash(by, row)
        const after = rows.at(BATCH - 1)?.id
        if (after === undefined) {
          unmark.run({ account })
          forgetAllExceptions.run({ account })
        } else {
          advance.run({ account, after })
          forgetExceptions.run({ account, until: after })
        }
        return rows.length
      })
    },

    importTrashAll({ account }: Writer, { until, by }: TrashAll): void {
      importMark.run({ account, until, by })
    },

    emptyTrash({ account, actor }: Writer, until: Date): number {
      return transaction(() => {
        const rows = oldest.all({ account, until: until.getTime() })
        for (const row of rows) purge(actor, row)
        return rows.length
      })
    },

    removeOldestTrash: (writer: Writer, bytes: number): number =>
      transaction(() => purgeOldest(writer, bytes).freed),

    removeOldTrash(keptForMs: number): number {
      const now = Date.now()
      const until = now - keptForMs
      // Reads first: a read is much cheaper than a write that changes nothing.
      if (anyInFuture.get({ now }) === undefined && oldestOfAll.get({ until }) === undefined)
        return 0
      return transaction(() => {
        correctTimes.run({ now })
        const rows = oldestOfAll.all({ until })
        for (const row of rows) purge(TRASH_JOB, row)
        return rows.length
      })
    },
  }
}

function unknownOf(ids: string[], rows: { id: string }[]): string[] {
  const known = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !known.has(id))
}

function inOrderOf(ids: string[], assets: Asset[]): Asset[] {
  const byId = new Map(assets.map((asset) => [asset.id, asset]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

const COLUMNS = `${ASSET_COLUMNS}, trashed_at`
type TrashRow = AssetRow & { trashed_at: number }

export function prepareTrashList(connection: Connection, longReads: LongReads) {
  function readPage(
    account: string,
    query: TrashQuery,
    { filter, total }: { filter: Filter; total: number },
  ): TrashRow[] {
    const { isFromEnd, offset, limit } = rowRangeOf(query, total)
    if (limit === 0) return []
    const { after } = query
    const conditions = [IN_TRASH, ...filter.conditions]
    if (after) conditions.push('(trashed_at, id) < (:after_time, :after_id)')
    const cursor = after && { after_time: after.value ?? 0, after_id: after.id }
    const page = connection.prepare<TrashRow>(
      `select ${COLUMNS} from assets where ${conditions.join(' and ')}
       order by ${isFromEnd ? 'trashed_at, id' : 'trashed_at desc, id desc'}
       limit +:limit offset :offset`,
    )
    const rows = page.all({ account, ...filter.parameters, ...cursor, limit, offset })
    return isFromEnd ? rows.reverse() : rows
  }

  function scanOf(account: string, { after }: TrashQuery, filter: Filter): Scan {
    return {
      account,
      table: 'assets',
      index: 'assets_in_trash',
      own: IN_TRASH,
      order: ['trashed_at', 'id'],
      descending: true,
      filter,
      after: after && [after.value ?? 0, after.id],
    }
  }

  function scan(account: string, query: TrashQuery, filter: Filter): Promise<Rows<TrashRow>> {
    const list = scanOf(account, query, filter)
    return scanList(longReads, { scan: list, page: query, columns: COLUMNS })
  }

  return {
    async listTrash({ account }: Writer, query: TrashQuery): Promise<Rows<TrashedAsset>> {
      const filter = filterOf(query)
      const from = `assets where ${IN_TRASH}`
      const { conditions, parameters } = filter
      const total = countFew(
        connection,
        { from, table: 'assets', conditions },
        { account, ...parameters },
      )
      const list =
        total === undefined
          ? await scan(account, query, filter)
          : { rows: readPage(account, query, { filter, total }), total }
      const rows = list.rows.map((row) => ({
        ...toAsset(row),
        trashedAt: new Date(row.trashed_at),
      }))
      return { rows, total: list.total }
    },

    selectTrash: ({ account }: Writer, query: TrashQuery, limit: number): Promise<string[]> =>
      selectIds(longReads, scanOf(account, query, filterOf(query)), limit),
  }
}

function filterOf({ name, kind, folder, isDirect, tag, words = [] }: TrashQuery): Filter {
  const conditions = words.map(
    (_, index) =>
      `(instr(search_name, :word${index}) > 0 or instr(search_path, :word${index}) > 0)`,
  )
  const parameters: Record<string, string> = {}
  for (const [index, word] of words.entries()) parameters[`word${index}`] = word
  if (name !== undefined) {
    conditions.push('instr(search_name, :name) > 0')
    parameters.name = name
  }
  if (kind !== undefined) {
    conditions.push('kind = :kind')
    parameters.kind = kind
  }
  if (folder !== undefined) {
    // The plus keeps SQLite from using the index of folders.
    conditions.push('+folder >= :folder_from', '+folder < :folder_until')
    const { from, until } = folderRange(folder, { isDirect })
    Object.assign(parameters, { folder_from: from, folder_until: until })
  } else if (isDirect) conditions.push('folder is null')
  if (tag !== undefined) {
    conditions.push('exists (select 1 from json_each(search_tags) where value = :tag)')
    parameters.tag = tag
  }
  return { conditions, parameters }
}

/** The row of an asset that is ready or in the trash. The rows of replacements are neither. */
export const DELETABLE = `(status = 'ready' or trashed_at is not null)`

/**
 * Excepts assets that just became ready from an unfinished deletion of all assets, which was requested before. Call it
 * in the transaction that makes them ready.
 */
export function prepareExcept({ prepare }: Connection) {
  const insert = prepare(
    `insert or ignore into trash_exceptions (account_id, asset_id)
     select :account, value from json_each(:ids)
     where value <= (select trash_until from accounts where id = :account)`,
  )

  return (account: string, ids: string[]): void => {
    insert.run({ account, ids: JSON.stringify(ids) })
  }
}

/** Deletes assets, in the caller's transaction. Both functions return the unfinished replacement that was cancelled. */
export function prepareDeletion(connection: Connection) {
  const { prepare } = connection
  const purge = preparePurge(connection)
  const { cancelReplacement } = prepareReplacements(connection)
  const { recordAsset } = prepareRecordEvents(connection)
  const keepAttachments = prepare(
    `insert into trashed_attachments (asset_id, product_id)
     select :id, p.id from asset_products l join products p on p.seq = l.product_seq
     where l.asset_seq = :seq`,
  )
  const detach = prepare('delete from asset_products where asset_seq = :seq')
  const unindexName = prepare('delete from asset_names where rowid = :seq')
  const end = prepare(
    `update assets set status = 'deleted', changed_at = :now, trashed_at = :now, attached = 0
     where seq = :seq`,
  )
  const trashVersions = prepare<{ bytes: number }>(
    'update asset_versions set trashed = 1 where asset_id = :id returning bytes',
  )
  const count = prepare(
    `update accounts set asset_count = asset_count - 1, stored_bytes = stored_bytes - :bytes,
       trash_bytes = trash_bytes + :bytes
     where id = :account`,
  )

  /** Moves a ready asset to the trash. */
  function moveToTrash(actor: string, row: UploadRow): Upload | undefined {
    const { seq, id, account_id: account } = row
    // A link uses no storage, and has neither versions nor replacements.
    const isFile = row.kind === 'file'
    const replacement = isFile ? cancelReplacement(actor, id) : undefined
    keepAttachments.run({ id, seq })
    detach.run({ seq })
    unindexName.run({ seq })
    end.run({ seq, now: Date.now() })
    const versions = isFile ? trashVersions.all({ id }) : []
    const bytes = versions.reduce((sum, version) => sum + version.bytes, isFile ? row.bytes : 0)
    count.run({ account, bytes })
    recordAsset({ account, actor }, 'asset.deleted', seq)
    return replacement
  }

  return {
    moveToTrash,

    /** Deletes an asset that is ready or in the trash. */
    deletePermanently(actor: string, row: UploadRow): Upload | undefined {
      const replacement = row.status === 'ready' ? moveToTrash(actor, row) : undefined
      purge(actor, row)
      return replacement
    },
  }
}

/** Restores assets in the trash, in the caller's transaction. */
function prepareRestoreRows(connection: Connection) {
  const { prepare } = connection
  const versionBytes = prepare<{ bytes: number }>(
    'select coalesce(sum(bytes), 0) as bytes from asset_versions where asset_id = :id',
  )
  const count = prepare(
    `update accounts set asset_count = asset_count + :assets, stored_bytes = stored_bytes + :needed,
       trash_bytes = trash_bytes - :needed
     where id = :account and (:needed = 0 or stored_bytes + reserved_bytes + :needed <= plan_storage)`,
  )
  // The cross join makes SQLite look up the few products of the asset, instead of reading all products of the account.
  const attach = prepare(
    `insert or ignore into asset_products (asset_seq, product_seq)
     select :seq, p.seq from trashed_attachments t
     cross join products p on p.id = t.product_id and p.account_id = :account
     where t.asset_id = :id`,
  )
  const forgetAttachments = prepare('delete from trashed_attachments where asset_id = :id')
  const restoreVersions = prepare('update asset_versions set trashed = 0 where asset_id = :id')
  const restore = prepare(
    `update assets set status = 'ready', changed_at = :now, trashed_at = null, attached = :attached
     where seq = :seq`,
  )
  const indexName = prepareNameIndex(connection)

  function bytesOf({ id, kind, bytes }: UploadRow): number {
    return kind === 'file' ? bytes + (versionBytes.get({ id })?.bytes ?? 0) : 0
  }

  return {
    /** Counts the bytes of these assets as stored, unless the plan has no room for them. */
    countRestored(account: string, rows: UploadRow[]): { isCounted: boolean; needed: number } {
      const needed = rows.reduce((sum, row) => sum + bytesOf(row), 0)
      return { isCounted: count.run({ account, needed, assets: rows.length }) === 1, needed }
    },

    /** Call it after `countRestored`, which counts the bytes of the asset. */
    restoreRow({ seq, id, account_id: account, filename }: UploadRow): void {
      const attached = attach.run({ seq, id, account })
      forgetAttachments.run({ id })
      restoreVersions.run({ id })
      restore.run({ seq, attached: Number(attached > 0), now: Date.now() })
      indexName.run({ seq, search_name: foldText(filename) })
    },
  }
}
