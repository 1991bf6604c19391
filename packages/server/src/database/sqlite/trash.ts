import type { Asset, Upload } from '../../domain/asset.ts'
import type { Usage } from '../../domain/plan.ts'
import type { Writer } from '../cache-account-data.ts'
import { TRASH_JOB } from '../job-actors.ts'
import {
  type AssetsOutcome,
  type AssetsRestoreOutcome,
  CORRECTED_TIMES,
  TRASH_BATCH,
  type TrashAll,
} from '../trash-data.ts'
import { DELETABLE, prepareDeletion, prepareExcept } from './deletion.ts'
import { preparePurge } from './purge.ts'
import { preparePurgeOldest } from './purge-oldest.ts'
import { prepareRecordEvents } from './record-events.ts'
import { prepareRestoreRows } from './restore-rows.ts'
import { ASSET_COLUMNS, type AssetRow, toAsset, UPLOAD_COLUMNS, type UploadRow } from './rows.ts'
import type { Connection } from './statement.ts'

/** Must repeat the condition of the partial index literally; otherwise SQLite does not use the index. */
const IN_TRASH = 'account_id = :account and trashed_at is not null'

interface Mark extends TrashAll {
  after: string | null
}

type Apply = (actor: string, row: UploadRow) => Upload | undefined

/** The trash, and changes of several assets. */
export function prepareTrash(connection: Connection) {
  const { prepare, transaction } = connection
  const { moveToTrash, deletePermanently } = prepareDeletion(connection)
  const except = prepareExcept(connection)
  const purge = preparePurge(connection)
  const purgeOldest = preparePurgeOldest(connection)
  const { countRestored, restoreRow } = prepareRestoreRows(connection)
  const { recordAsset, recordStorageLow } = prepareRecordEvents(connection)
  const deletable = prepare<UploadRow>(
    `select ${UPLOAD_COLUMNS} from assets
     where id in (select value from json_each(:ids)) and account_id = :account and ${DELETABLE}`,
  )
  const usage = prepare<Usage>(
    `select plan_storage as "limit", stored_bytes as stored, reserved_bytes as reserved
     from accounts where id = :account`,
  )
  const bySeq = prepare<AssetRow>(`select ${ASSET_COLUMNS} from assets where seq = :seq`)
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
  const marked = prepare<{ id: string }>('select id from accounts where trash_until is not null')
  const nextReady = prepare<UploadRow & { is_excepted: number }>(
    `select ${UPLOAD_COLUMNS}, exists (
       select 1 from trash_exceptions where account_id = :account and asset_id = assets.id
     ) as is_excepted
     from assets
     where account_id = :account and status = 'ready' and id > :after and id <= :until
     order by id limit ${TRASH_BATCH}`,
  )
  const forgetExceptions = prepare(
    'delete from trash_exceptions where account_id = :account and asset_id <= :until',
  )
  const forgetAllExceptions = prepare('delete from trash_exceptions where account_id = :account')
  const oldest = prepare<UploadRow>(
    `select ${UPLOAD_COLUMNS} from assets where ${IN_TRASH} and trashed_at <= :until
     order by trashed_at, id limit ${TRASH_BATCH}`,
  )
  const oldestOfAll = prepare<UploadRow>(
    `select ${UPLOAD_COLUMNS} from assets where trashed_at is not null and trashed_at <= :until
     order by trashed_at limit ${TRASH_BATCH}`,
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

  /** The rows of the assets that are ready or in the trash, and the IDs of the others. */
  function find(account: string, ids: string[]) {
    const rows = deletable.all({ account, ids: JSON.stringify(ids) })
    return { rows, unknown: unknownOf(ids, rows) }
  }

  function change(
    { account, actor }: Writer,
    ids: string[],
    { isAffected, apply }: { isAffected: (row: UploadRow) => boolean; apply: Apply },
  ): AssetsOutcome {
    return transaction(() => {
      const { rows, unknown } = find(account, ids)
      if (unknown.length > 0) return { outcome: 'assets_not_found', unknown }
      const changed = rows.filter(isAffected)
      const replacements = changed.flatMap((row) => apply(actor, row) ?? [])
      return { outcome: 'done', changed: changed.length, replacements }
    })
  }

  return {
    trashAssets: (writer: Writer, ids: string[]): AssetsOutcome =>
      change(writer, ids, { isAffected: ({ status }) => status === 'ready', apply: moveToTrash }),

    deleteAssets: (writer: Writer, ids: string[]): AssetsOutcome =>
      change(writer, ids, { isAffected: () => true, apply: deletePermanently }),

    restoreAssets(writer: Writer, ids: string[]): AssetsRestoreOutcome {
      const { account } = writer
      return transaction(() => {
        const { rows, unknown } = find(account, ids)
        if (unknown.length > 0) return { outcome: 'assets_not_found', unknown }
        const trashed = rows.filter(({ status }) => status !== 'ready')
        const { isCounted, needed } = countRestored(account, trashed)
        if (!isCounted) {
          const used = { limit: 0, stored: 0, reserved: 0, ...usage.get({ account }) }
          return { outcome: 'storage_exceeded', usage: used, needed }
        }
        for (const row of trashed) {
          restoreRow(row)
          recordAsset(writer, 'asset.restored', row.seq)
        }
        const restored = trashed.map(({ id }) => id)
        except(account, restored)
        recordStorageLow(writer, needed)
        const assets = rows.flatMap(({ seq }) => bySeq.get({ seq }) ?? []).map(toAsset)
        return { outcome: 'restored', assets: inOrderOf(ids, assets) }
      })
    },

    beginTrashAll({ account, actor }: Writer): void {
      transaction(() => {
        mark.run({ account, actor })
        forgetAllExceptions.run({ account })
      })
    },

    continueTrashAll({ account, actor }: Writer): number {
      return transaction(() => {
        const pending = readMark.get({ account })
        if (pending === undefined) return 0
        const { until, by } = pending
        const rows = nextReady.all({ account, until, after: pending.after ?? '' })
        for (const row of rows) if (!row.is_excepted) moveToTrash(by ?? actor, row)
        const after = rows.at(TRASH_BATCH - 1)?.id
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

    findTrashAll(account: string): TrashAll | undefined {
      const pending = readMark.get({ account })
      return pending && { until: pending.until, by: pending.by }
    },

    importTrashAll(account: string, { until, by }: TrashAll): void {
      importMark.run({ account, until, by })
    },

    listTrashAll: (): string[] => marked.all({}).map(({ id }) => id),

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
